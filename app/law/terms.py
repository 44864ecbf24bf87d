"""Finds terms in a question that acts define. Pure functions.

Words are stemmed in the language of the text, so that "AI systems" matches "AI system".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.search.analysis import tokens

MAX_TERMS: Final = 3
"""The most terms of a question that are looked up in an act, the longest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedTerm:
    """A term with its stemmed words and the unit that defines it."""

    term: str
    stems: tuple[str, ...]
    unit: str


def defined_terms(units: Mapping[str, str], language: str) -> tuple[DefinedTerm, ...]:
    """Return the terms of a text in ``language``. ``units``: the defining unit by term."""
    stemmed = ((term, tuple(tokens(term, language)), unit) for term, unit in units.items())
    return tuple(DefinedTerm(term=term, stems=stems, unit=unit) for term, stems, unit in stemmed if stems)


def used_terms(question: str, terms: Iterable[DefinedTerm], language: str) -> list[DefinedTerm]:
    """Return the terms in the question, longest first. A term within a longer one does not count."""
    asked = tokens(question, language)
    taken: set[int] = set()
    used = []
    for term in sorted(terms, key=lambda each: (-len(each.stems), each.term)):
        places = [place for place in _places(term.stems, asked) if taken.isdisjoint(place)]
        taken.update(*places)
        if places:
            used.append(term)
    return used[:MAX_TERMS]


def _places(stems: Sequence[str], asked: Sequence[str]) -> list[range]:
    """Return the ranges of positions at which the stems occur in a row in the question."""
    width = len(stems)
    starts = range(len(asked) - width + 1)
    return [range(start, start + width) for start in starts if tuple(asked[start : start + width]) == stems]
