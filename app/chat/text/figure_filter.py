"""Marks, while an answer streams, sentences with figures that no source has, or has for something else."""

import re
from typing import Final

from app.chat.text.citations import HELD_CHARACTERS, NUMBERS_IN_BRACKETS
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import figures_of
from ingest.text import ends

_AFTER_MARK: Final = " \t\n\u00a0|"
"""Characters at a sentence's end before which the mark is put: white space and the end of a table row."""

_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]")
_LINE_END: Final = re.compile(r"\n++")
_CITED: Final = re.compile(rf"\s?{NUMBERS_IN_BRACKETS.pattern}")
_CITATIONS: Final = re.compile(r"(?:\[\d{1,2}(?:, \d{1,2})*+\]\s*+)*+")
_LAST_CITATION: Final = re.compile(r"\[[\d, ]*+\]?\Z")
_BEGUN_CITATION: Final = re.compile(r"\[[\d, ]*+\Z")


class FigureFilter:
    """Passes an answer (Markdown) through, and puts ``mark`` after each sentence with a figure that the
    ``evidence`` lacks, or that belongs to something else according to ``subjects``.

    White space and citations are held back until it is known whether a sentence ends there. The output does
    not depend on how the text is split into pieces. ``unsupported``: the marked sentences, without citations.
    """

    def __init__(self, evidence: Evidence, mark: str, subjects: FigureSubjects | None = None) -> None:
        self.unsupported: list[str] = []
        self._evidence = evidence
        self._subjects = subjects
        self._leads = _Leads()
        self._mark = mark
        self._sentence = ""
        self._passed = 0
        self._with_figures = 0

    @property
    def is_mostly_unsupported(self) -> bool:
        """True if more than half of the sentences with figures are marked."""
        return 2 * len(self.unsupported) > self._with_figures

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        self._sentence += text
        final = ""
        while end := _end(self._sentence):
            final += self._finished(end)
        return final + self._pass_to(_held_from(self._sentence))

    def close(self) -> str:
        """Return the rest of the answer."""
        return self._finished(len(self._sentence)) if self._sentence else ""

    def _finished(self, end: int) -> str:
        """Return the rest of the sentence that ends at ``end``, with its mark if it needs one."""
        sentence = self._sentence[:end]
        place = len(sentence.rstrip(_AFTER_MARK))
        final = self._pass_to(place)
        if self._is_unsupported(sentence):
            self.unsupported.append(" ".join(_CITED.sub("", sentence).split()))
            final += f" {self._mark}"
            if place == end < len(self._sentence):  # the next word must not touch the mark
                final += " "
        self._sentence, self._passed = self._sentence[end:], 0
        return final + sentence[place:]

    def _is_unsupported(self, sentence: str) -> bool:
        figures, before = figures_of(sentence), self._leads.to(sentence)
        self._with_figures += bool(figures)
        if figures and self._evidence.lacks(figures):
            return True
        misplaced = self._subjects.misplaced(sentence, before) if self._subjects else ()
        self._with_figures += bool(misplaced and not figures)  # a name alone
        return bool(misplaced)

    def _pass_to(self, end: int) -> str:
        start, self._passed = self._passed, max(self._passed, end)
        return self._sentence[start : self._passed]


class _Leads:
    """The text that leads to each sentence of an answer: the sentence before it. For an item of a list or a
    row of a table it is the text above the first one, and the table's header."""

    def __init__(self) -> None:
        self._before = self._above = self._header = ""

    def to(self, sentence: str) -> str:
        """Return the text that leads to the next sentence."""
        is_row = sentence.lstrip().startswith("|")
        if is_row or _ITEM.match(sentence):
            lead = f"{self._above}\n{self._header}"
            self._header = self._header or (sentence if is_row else "")
        else:
            lead, self._above, self._header = self._before, sentence, ""
        self._before = sentence
        return lead


def _held_from(text: str) -> int:
    """Return the offset at which the white space and citations at the end of the text begin; the last
    citation may be unfinished."""
    end = len(text.rstrip(_AFTER_MARK))
    while citation := _LAST_CITATION.search(text, max(end - HELD_CHARACTERS, 0), end):
        end = len(text[: citation.start()].rstrip(_AFTER_MARK))
    return end


def _end(text: str) -> int:
    """Return the end of the first sentence, at the latest that of its line, with the citations after it; 0 if
    that depends on the text to come."""
    end = next(ends(text), 0)
    if line := _LINE_END.search(text, 0, end):
        end = line.end()
    if citations := _CITATIONS.match(text, end):
        end = citations.end()
    return 0 if end == len(text) or _BEGUN_CITATION.match(text, end) else end
