"""Which of the terms that acts define a question uses. Pure functions.

Terms are compared by their stemmed words in the language of the text, so that "AI systems" uses "AI system".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.search.analysis import tokens

MOST_TERMS: Final = 3
"""Definitions that are read for a question and an act, those of the longest terms first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedTerm:
    """A term with its stemmed words and the unit that defines it."""

    term: str
    stems: tuple[str, ...]
    unit: str


def defined_terms(units: Mapping[str, str], language: str) -> tuple[DefinedTerm, ...]:
    """The terms of a text in ``language``. ``units``: by term the unit that defines it."""
    stemmed = ((term, tuple(tokens(term, language)), unit) for term, unit in units.items())
    return tuple(DefinedTerm(term=term, stems=stems, unit=unit) for term, stems, unit in stemmed if stems)


def used_terms(question: str, terms: Iterable[DefinedTerm], language: str) -> list[DefinedTerm]:
    """The terms in the question, longest first, none of them within another one."""
    asked = tokens(question, language)
    taken: set[int] = set()
    used = []
    for term in sorted(terms, key=lambda each: (-len(each.stems), each.term)):
        places = [place for place in _places(term.stems, asked) if taken.isdisjoint(place)]
        taken.update(*places)
        if places:
            used.append(term)
    return used[:MOST_TERMS]


def _places(stems: Sequence[str], asked: Sequence[str]) -> list[range]:
    """Where the stems stand in the question, one after the other."""
    width = len(stems)
    starts = range(len(asked) - width + 1)
    return [range(start, start + width) for start in starts if tuple(asked[start : start + width]) == stems]
