"""Reads and removes the status line of an answer: a first line ``STATUS: answered``, the model's own verdict.

Models vary, so any letter case, markup, quotes and brackets around the words, German words, a missing colon
and a status line farther down are accepted. The line must contain nothing else; only after ``STATUS`` in
capitals may the answer begin on the same line. ``Status: your application is ...`` is an answer.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from ingest.text import visible

HELD_CHARACTERS: Final = 40

Verdict = Literal["answered", "partly", "none", "outside"]
"""The sources answer the question in full, in part or not at all; ``outside``: the question is not for this
website."""

_WORDS: Final[Mapping[str, Verdict]] = {
    "answered": "answered", "beantwortet": "answered",
    "partly": "partly", "partially": "partly", "teilweise": "partly",
    "none": "none", "keine": "none",
    "outside": "outside", "außerhalb": "outside",
}  # fmt: skip
_ALONE: Final = ("answered", "beantwortet", "partly", "partially", "teilweise")
"""Words that are a status line even without ``STATUS``, because no answer consists of one of them."""

_LABEL: Final = "status"
_LABELLED: Final = {f"{_LABEL}{word}".casefold(): verdict for word, verdict in _WORDS.items()}
_LINES: Final = {
    **_LABELLED,
    **{word: _WORDS[word] for word in _ALONE},
}
_AROUND: Final = re.compile(r"[\s*_`~#>|\"'„“”‚‘’«»‹›()\[\]{}<:=.–—-]+")
_SAME_LINE: Final = re.compile(r"[^\w:]*STATUS[^\w:]*:\W*(?P<word>\w+)[^\w\s]*\s+(?P<dash>[-–—]\s+)?")


def verdict_of(word: str) -> Verdict | None:
    """Return the verdict that a word names, or None."""
    return _WORDS.get(word.strip().lower())


def with_status_line(verdict: Verdict, answer: str) -> str:
    """Return the answer as the model writes it: below its status line."""
    return f"STATUS: {verdict}\n{answer}"


class VerdictFilter:
    """Passes an answer through without its status line.

    At most ``HELD_CHARACTERS`` are held back at the beginning, and of each line that may be a status line.
    ``verdict``: the first status line's; None before it, and in an answer without one.
    """

    def __init__(self) -> None:
        self.verdict: Verdict | None = None
        self._later = _LaterLines()
        self._held = ""
        self._decided = False
        self._has_begun = False

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        taken = 0
        while not self._decided and taken < len(text):
            self._held += text[taken]
            taken += 1
            self._decide()
        if not self._decided:
            return ""
        held, self._held = self._held, ""
        passed = self._later.feed(self._passed(held + text[taken:]))
        self.verdict = self.verdict or self._later.verdict
        return passed

    def close(self) -> str:
        """Return the rest of the answer."""
        held, self._held = self._held, ""
        if not self._decided and (verdict := _LINES.get(_letters(held))):
            self.verdict, held = verdict, ""
        rest = self._later.feed(held) + self._later.close()
        self.verdict = self.verdict or self._later.verdict
        return rest

    def _decide(self) -> None:
        """Decide whether the beginning is a status line. This happens at the first possible character, so the
        result does not depend on how the text is split into pieces."""
        letters = _letters(self._held)
        if self._held.endswith("\n") and letters not in ("", _LABEL):
            self._end(_LINES.get(letters), after=len(self._held))
        elif not any(line.startswith(letters) for line in _LINES):
            same_line = _SAME_LINE.match(self._held)
            if same_line and self._held[-1].islower() and not same_line["dash"]:
                same_line = None
            verdict = _WORDS.get(same_line["word"].lower()) if same_line else None
            self._end(verdict, after=same_line.end() if same_line else 0)
        elif len(self._held) > HELD_CHARACTERS:
            self._end(None, after=0)

    def _end(self, verdict: Verdict | None, after: int) -> None:
        self.verdict, self._decided, self._has_begun = verdict, True, verdict is None
        self._held = self._held[after:] if verdict else self._held

    def _passed(self, text: str) -> str:
        """Return the text without the white space between status line and answer."""
        if not self._has_begun:
            text = text.lstrip()
            self._has_begun = bool(text)
        return text


class _LaterLines:
    """Passes the text after the beginning through without lines that contain only a labelled status."""

    def __init__(self) -> None:
        self.verdict: Verdict | None = None
        self._held = ""
        self._begins_line = False

    def feed(self, text: str) -> str:
        """Return the part of the text that is now final."""
        return "".join(map(self._push, text))

    def close(self) -> str:
        """Return the rest of the text."""
        return self._released("")

    def _push(self, character: str) -> str:
        if character == "\n":
            passed = self._released("\n")
            self._begins_line = True
            return passed
        if not self._begins_line:
            return character
        self._held += character
        letters = _letters(self._held)
        if len(self._held) < HELD_CHARACTERS and any(line.startswith(letters) for line in _LABELLED):
            return ""
        self._begins_line = False
        held, self._held = self._held, ""
        return held

    def _released(self, end: str) -> str:
        """Return the held line with its ``end``; empty if it is a status line."""
        held, self._held = self._held, ""
        verdict = _LABELLED.get(_letters(held))
        self.verdict = self.verdict or verdict
        return "" if verdict else held + end


def _letters(text: str) -> str:
    """Return the line without markup and punctuation, in lower case."""
    return _AROUND.sub("", visible(text)).casefold()
