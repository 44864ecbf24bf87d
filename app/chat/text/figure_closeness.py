"""Clauses of a sentence, and the closeness of their words to a figure.

Closeness is the degree to which a word belongs to a figure.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.chat.text.figure_keys import Keys
from app.chat.text.figure_words import OTHERS, conditions_in, named_words, turned_bounds, unbounded, words_of

OWN: Final = 1.0
LABEL: Final = 0.9
EARLIER: Final = 0.8
LATER: Final = 0.8
NEAR: Final = 0.6
PARALLEL: Final = 0.6
BESIDE: Final = 0.5
HEADING: Final = 0.55
TITLE: Final = 0.3
LATER_PARALLEL: Final = 0.3
"""Closeness of a word to a figure, by where the word stands.

* ``OWN``: the same clause, or the same cell and the heads of its row and column
* ``LABEL``: before the sentence's colon, or in the head of the list item
* ``EARLIER``: an earlier clause, which may contain the subject
* ``LATER``: a later clause, if no other figure of the kind follows
* ``NEAR``: the same row
* ``PARALLEL``: an earlier clause with another figure of the kind, if the figure's own clause has a noun
* ``BESIDE``: the sentence before, the first of the paragraph, or a list's lead
* ``HEADING``: the nearest heading; ``TITLE``: the headings above it and the page's title
* ``LATER_PARALLEL``: a later clause, if another figure of the kind follows
"""

_NOUN: Final = re.compile(
    r"(?<!^)\b(?!Euro|Uhr|Cent|Prozent|Tag|Woche|Monat|Jahr|Stunde)[A-ZÄÖÜ][^\W\d_]{2,}"
    r"|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\b"
)
"""A German noun that is not a unit of measure, or a day's short name."""

_NAMING: Final = re.compile(r"^\W*[^:]*\d[^:]*:\s*\Z")
"""A figure before a colon, which the rest of the sentence is about: "17 October: the office is closed"."""


@dataclass(frozen=True)
class Clause:
    """A clause with what it states; see :class:`app.chat.text.figure_places.Place`."""

    text: str
    keys: Keys
    compact: str
    figures: tuple[tuple[str, str], ...]

    @cached_property
    def kinds(self) -> Keys:
        """The kinds of its figures."""
        return frozenset(kind for kind, _ in self.figures)


class Sentence:
    """The clauses of a sentence, and their closeness to each other's figures."""

    def __init__(self, clauses: Sequence[Clause], language: str) -> None:
        self._clauses = clauses
        self._language = language
        self._counts = Counter(kind for clause in clauses for kind in clause.kinds)

    def texts(self, number: int, kind: str) -> dict[float, list[str]]:
        """Return the clauses by their closeness to the figures of a ``kind`` in the clause ``number``."""
        begin = next((each for each in range(number, 0, -1) if not self._is_bare(each)), 0)
        own = "".join(clause.text for clause in self._clauses[begin : number + 1])
        earlier, later = self._clauses[:begin], self._clauses[number + 1 :]
        texts: dict[float, list[str]] = defaultdict(list)
        texts[OWN].append(own)
        if turned := turned_bounds(own, "".join(clause.text for clause in earlier)):
            texts[OWN] += turned, *(unbounded(clause.text) for clause in earlier)
            earlier = ()
        others = [place for place, clause in enumerate(earlier) if kind in clause.kinds]
        last = others[-1] if others and self._is_parallel(number, others) else -1
        for place, clause in enumerate(earlier):
            texts[PARALLEL if place <= last else EARLIER].append(clause.text)
        is_own = bool(_NAMING.search(own)) or not any(kind in clause.kinds for clause in later)
        together = 0 if is_own else self._together(number, kind)
        for place, clause in enumerate(later):
            texts[LATER if is_own or place < together else LATER_PARALLEL].append(clause.text)
        return texts

    def _is_bare(self, number: int) -> bool:
        """Return True if a clause has hours and no words, as the second of "Mondays 8 to 12, 14 to 16"."""
        clause = self._clauses[number]
        return clause.kinds <= {"time", "number"} and not words_of(clause.text, self._language)

    def _together(self, number: int, kind: str) -> int:
        """Return how many later clauses say more about a clause's figures. In "after 5 years 20 %, after 10
        years 30 %", "20 %" says more about "5 years", but "10 years" says nothing about "20 %"."""
        before = set().union(*(clause.kinds for clause in self._clauses[: number + 1]))
        count = 0
        for clause in self._clauses[number + 1 :]:
            if (
                not before.isdisjoint(clause.kinds)
                or self._counts[kind] != self._counts[clause.figures[0][0]]
            ):
                break
            count += 1
        return count

    def _is_parallel(self, number: int, others: Sequence[int]) -> bool:
        """Return True if a clause has its own subject: several figures as one of the ``others`` has, "all
        others", a noun in German, or a word in English that no earlier clause has."""
        text = self._clauses[number].text
        if len(self._clauses[number].figures) > 1 and any(
            len(self._clauses[each].figures) > 1 for each in others
        ):
            return True
        if OTHERS in conditions_in(text) or (self._language == "de" and _NOUN.search(text)):
            return True
        return self._language == "en" and any(
            self._first_clauses[word] == number for word in named_words(text, "en")
        )

    @cached_property
    def _first_clauses(self) -> Mapping[str, int]:
        """The number of the first clause that has each word."""
        backwards = reversed(list(enumerate(self._clauses)))
        return {word: number for number, clause in backwards for word in named_words(clause.text, "en")}
