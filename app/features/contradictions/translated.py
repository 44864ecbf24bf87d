"""Compares a page with its translation, which states the same figures in the same order. Pure functions.

A figure without a counterpart contradicts one of the same kind if both are in the same place and neither also
occurs near the other. The same place is a row or sentence with matching figures, or between two matching
figures in statements with the same words.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from app.features.contradictions.detector import Contradiction
from app.features.contradictions.statements import Statement
from app.search import analysis, dictionary

LEAST_SHARED: Final = 0.3
"""The share of words and conditions of the shorter statement that the other must have in translation."""

LEAST_COMMON: Final = 0.5
"""A page and its translation share at least this part of the figures of the page with fewer."""

COUNT: Final = "count"
"""The kind of numbers that count a noun, because the noun differs between languages."""

_TELLING: Final = ("weekday", "season", "person", "keys")
"""Conditions with the same names in both languages: if they differ, the statements are about different
things."""

Blocks = Sequence[Sequence[Statement]]
"""The statements of each block of a page, in text order."""


_Place = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class _Figure:
    """A figure with its statement, the number of its ``block``, and its ``place`` (row or sentence).
    ``unit``: the stem of the noun that it counts."""

    kind: str
    unit: str
    value: str
    statement: Statement
    block: int
    place: _Place

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.value


_Pair = tuple[_Figure, _Figure]


def contradictions_of_translations(
    one: Blocks, other: Blocks, languages: tuple[str, str]
) -> list[Contradiction]:
    """Return the contradictions between a page and its translation in these ``languages``."""
    first, second = list(_figures(one)), list(_figures(other))
    anchors = list(_anchors(first, second))
    free = _without(first, (a for a, _ in anchors)), _without(second, (b for _, b in anchors))
    if len(anchors) < LEAST_COMMON * min(len(first), len(second)):
        return []
    linked = [
        (a, b)
        for a, b in _linked(*free, {(first[a].place, second[b].place) for a, b in anchors})
        if not _is_of(a, second, b.place) and not _is_of(b, first, a.place)
    ]
    between = [
        (a, b)
        for a, b in _between(first, second, anchors)
        if _is_same(a, b, languages) and not _is_near(a, second, b) and not _is_near(b, first, a)
    ]
    found = {
        (a.statement.text, b.statement.text, a.kind): Contradiction(
            one=a.statement, other=b.statement, kind=a.kind
        )
        for a, b in (*between, *linked)
        if _may_be_same(a, b, languages)
    }
    return list(found.values())


def _figures(blocks: Blocks) -> Iterator[_Figure]:
    for number, statements in enumerate(blocks):
        for statement in statements:
            for kind, value, _ in statement.stated:
                unit = kind.removeprefix("of ") if kind.startswith("of ") else ""
                yield _Figure(
                    COUNT if unit else kind, unit, value, statement, number, (number, statement.text)
                )


def _anchors(first: Sequence[_Figure], second: Sequence[_Figure]) -> Iterator[tuple[int, int]]:
    """The positions of figures that match, in order."""
    keys = [each.key for each in first], [each.key for each in second]
    for a, b, size in SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks():
        yield from zip(range(a, a + size), range(b, b + size), strict=True)


def _without(figures: Sequence[_Figure], anchored: Iterable[int]) -> list[_Figure]:
    numbers = set(anchored)
    return [each for number, each in enumerate(figures) if number not in numbers]


def _linked(
    first: Sequence[_Figure], second: Sequence[_Figure], places: Iterable[tuple[_Place, _Place]]
) -> Iterator[_Pair]:
    """Pairs of figures without a counterpart in the same row or sentence as matching ones."""
    for one, other in places:
        yield from _by_kind(
            (each for each in first if each.place == one), (each for each in second if each.place == other)
        )


def _between(
    first: Sequence[_Figure], second: Sequence[_Figure], anchors: Sequence[tuple[int, int]]
) -> Iterator[_Pair]:
    """Pairs of figures without a counterpart between the same two matching ones."""
    for (a, b), (c, d) in pairwise([(-1, -1), *anchors, (len(first), len(second))]):
        yield from _by_kind(first[a + 1 : c], second[b + 1 : d])


def _is_of(figure: _Figure, others: Iterable[_Figure], place: _Place) -> bool:
    """Return True if one of the other figures in a row or sentence is the same."""
    return any(each.key == figure.key and each.place == place for each in others)


def _is_near(figure: _Figure, others: Iterable[_Figure], beside: _Figure) -> bool:
    """Return True if one of the other figures in the same or an adjacent block is the same."""
    return any(each.key == figure.key and abs(each.block - beside.block) <= 1 for each in others)


def _by_kind(first: Iterable[_Figure], second: Iterable[_Figure]) -> Iterator[_Pair]:
    """Pairs of figures in order, for each kind of which both sides have the same number."""
    kinds: defaultdict[str, tuple[list[_Figure], list[_Figure]]] = defaultdict(lambda: ([], []))
    for side, figures in enumerate((first, second)):
        for each in figures:
            kinds[each.kind][side].append(each)
    for ones, others in kinds.values():
        if len(ones) == len(others):
            yield from zip(ones, others, strict=True)


def _may_be_same(one: _Figure, other: _Figure, languages: tuple[str, str]) -> bool:
    """Return True if no condition distinguishes the statements, and the figures count the same thing if they
    count any."""
    if one.unit and not _translated([one.unit], *languages, frozenset([other.unit])):
        return False
    named, others = one.statement.conditions, other.statement.conditions
    both = [kind for kind in _TELLING if kind in named and kind in others]
    return all(not named[kind].isdisjoint(others[kind]) for kind in both)


def _is_same(one: _Figure, other: _Figure, languages: tuple[str, str]) -> bool:
    """Return True if enough words and conditions of both statements are the same."""
    first, second = one.statement, other.statement
    if one.kind == "phone":  # because a phone number has few words beside it
        return True
    shared = _translated(first.words, *languages, second.words)
    kinds = first.conditions.keys() & second.conditions.keys()
    shared += sum(first.conditions[kind] == second.conditions[kind] for kind in kinds)
    fewest = min(len(each.words) + len(each.conditions) for each in (first, second))
    return shared > 0 and shared >= LEAST_SHARED * fewest


def _translated(words: Iterable[str], language: str, other: str, among: frozenset[str]) -> int:
    """The number of these stems that ``among`` contains, as they are or translated."""
    return sum(
        word in among or any(stem in among for stem in _stems(word, language, other)) for word in words
    )


def _stems(stem: str, language: str, other: str) -> Iterator[str]:
    if dictionary.LANGUAGES.get(language) == other:
        for word in dictionary.translations(stem, language):
            yield from analysis.tokens(word, other)
