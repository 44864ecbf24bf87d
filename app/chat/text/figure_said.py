"""Finds the words by which an answer says what its figures belong to, each with a weight."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from app.chat.text.conditions import GENERIC_STEMS, conditions_of
from app.chat.text.figure_fit import is_mark
from app.chat.text.figure_keys import Figure
from app.chat.text.figure_kinds import COUNTED, kind_of, kinds_of
from app.chat.text.figure_places import REACHED
from app.chat.text.figure_words import (
    bound,
    conditions_in,
    is_condition,
    labels,
    masked,
    named_words,
    turned_bounds,
)
from app.chat.text.figures import figures_of
from app.search import analysis
from app.search.answer_kinds import asked_kinds, kind_words

EARLIER_WEIGHT: Final = 0.6
BEFORE_WEIGHT: Final = 0.4
ASKED_WEIGHT: Final = 0.3
LATER_WEIGHT: Final = 0.2
"""Weights of words by where they stand; those of the figure's own clause have weight 1.

* ``EARLIER_WEIGHT``: an earlier clause, or the question if the answer names nothing
* ``BEFORE_WEIGHT``: the text that leads to the sentence
* ``ASKED_WEIGHT``: the question
* ``LATER_WEIGHT``: a later clause, or an earlier one with another figure of the kind
"""

CONDITION: Final = 0.5
"""A condition and the word that names it have this weight each, because both stand for the same; so has the
noun that a number counts."""

_WORD: Final = re.compile(r"[^\W_]+")


class Said(NamedTuple):
    """A clause of an answer: its ``number`` among the ``clauses`` of its sentence, the text ``before`` the
    sentence, which leads to it, the question, and the answer's language."""

    clauses: tuple[str, ...]
    number: int
    before: str
    question: str
    language: str

    @property
    def clause(self) -> str:
        """The clause itself."""
        return self.clauses[self.number]

    @property
    def earlier(self) -> str:
        """The part of the sentence before the clause."""
        return "".join(self.clauses[: self.number])

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        return "".join(self.clauses)

    def without(self, names: Iterable[Figure]) -> "Said":
        """Return the same with blanks in place of ``names``, which must not count as their own context."""
        start = len(self.earlier)
        spans = ((first - start, last - start) for first, last in (name.span for name in names))
        clause = masked(self.clause, spans)
        return self._replace(clauses=(*self.clauses[: self.number], clause, *self.clauses[self.number + 1 :]))

    def words(self, kind: str, figures: Sequence[Figure]) -> dict[str, float]:
        """Return the words that say what ``figures`` of the clause belong to, with their weights."""
        found: dict[str, float] = {}
        for part in self.clauses[self.number + 1 :]:
            if not any(each.kind == kind for each in kinds_of(part)):
                found |= dict.fromkeys(self.named(part, kind), LATER_WEIGHT)
        is_bare = not self.before and not self.named(self.sentence, kind)
        asked = self.named(_unasked(self.question), kind)
        found |= dict.fromkeys(asked, EARLIER_WEIGHT if is_bare else ASKED_WEIGHT)
        found |= dict.fromkeys(self.named(self.before, kind), BEFORE_WEIGHT)
        for part in self.clauses[: self.number]:
            is_of_another = any(kind_of(each, part) == kind for each in figures_of(part))
            found |= dict.fromkeys(self.named(part, kind), LATER_WEIGHT if is_of_another else EARLIER_WEIGHT)
        found |= dict.fromkeys(self.named(self.clause, kind), 1.0)
        if turned := conditions_in(turned_bounds(self.clause, self.earlier)):
            found = {
                word: counts for word, counts in found.items() if word not in conditions_in(self.earlier)
            }
            found |= dict.fromkeys(turned, 1.0)
        for key in (key for figure in figures for key in figure.states):
            for below in (True, False):
                found.pop(bound(key, below=below), None)
        counted = {kind: CONDITION} if kind.startswith(COUNTED) else {}
        return {
            word: counts * _share(word, found) for word, counts in self._distinct(found).items()
        } | counted

    def named(self, text: str, kind: str) -> list[str]:
        """Return the words of a text that name a subject: neither figures of this kind nor words that only
        say which kind of figure the clause states."""
        words = (
            word
            for word in named_words(text, self.language)
            if not _is_generic(word, kind, self.clause, self.language)
        )
        return [*words, *conditions_in(text), *(label for other, label in labels(text) if other != kind)]

    def _distinct(self, words: Mapping[str, float]) -> Mapping[str, float]:
        """Return the words, of several with the same stem only the one with the most weight."""
        found: dict[tuple[str, ...], str] = {}
        for word in sorted(words, key=lambda word: -words[word]):
            stem = (word,) if is_mark(word) else tuple(analysis.tokens(word, self.language))
            found.setdefault(stem, word)
        return {word: words[word] for word in found.values()}


def _unasked(question: str) -> str:
    """Return the question without the words that say what kind of figure it asks for."""
    asked = kind_words(question)
    spans = (word.span() for word in _WORD.finditer(question))
    return masked(
        question,
        [
            (start, end)
            for start, end in spans
            if any(start < each.stop and each.start < end for each in asked)
        ],
    )


def _share(word: str, words: Mapping[str, float]) -> float:
    """Return the share of a word's weight that counts. Days count only by their conditions, and each day of
    several less than a single one."""
    if word.startswith("weekday "):
        days = sum(other.startswith("weekday ") and words[other] == words[word] for other in words)
        return float(days**-0.5)
    if not is_mark(word) and conditions_of(word)["weekday"]:
        return 0.0
    return CONDITION if is_condition(word) else 1.0


def _is_generic(word: str, kind: str, clause: str, language: str) -> bool:
    """Return True for a word that only says the kind of the clause's figure: *costs* for an amount, but not
    for a day."""
    if asked := [each for each in asked_kinds(word) if each.is_figure]:
        if kind not in REACHED and any(each.name == "reach" for each in asked):
            return False
        return any(each.found.search(clause) for each in asked)
    return not GENERIC_STEMS.isdisjoint(analysis.forms(word, [language]))
