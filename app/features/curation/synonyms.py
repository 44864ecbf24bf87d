"""Rewrites questions with the words that editors declare to mean the same. Pure functions.

Every word of a group leads to the same texts, in the same order, so a question finds the same with any of
them.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Final

from app.search import analysis

MOST_VARIANTS: Final = 4
"""Variants that one question is searched with."""

_WORD: Final = re.compile(r"[^\W_]+")

Group = Sequence[str]
"""Terms that mean the same; each may have several words."""


KEPT: Final = 64
"""Cached sets of groups with their stems: one for each site and language."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a group with its stems."""

    text: str
    stems: tuple[str, ...]
    group: Group


@dataclass(frozen=True, slots=True)
class FoundTerm:
    """The offsets in a question at which a term of a group was found."""

    start: int
    end: int
    group: Group


@dataclass(frozen=True, slots=True)
class Expansion:
    """A question in the words of all groups.

    ``variants``: the texts to search for. ``joined``: one text with all their words. ``explained``: the
    question with the other words in brackets.
    """

    variants: tuple[str, ...]
    joined: str
    explained: str


def expansion(question: str, groups: Sequence[Group], language: str | None) -> Expansion | None:
    """Return the question in the words of its groups, or ``None`` if it has no word of any."""
    found = _found_terms(question, groups, language or "")
    if not found:
        return None
    choices = islice(product(*(term.group for term in found)), MOST_VARIANTS)
    return Expansion(
        variants=tuple(dict.fromkeys(_replaced(question, found, words) for words in choices)),
        joined=_replaced(question, found, [" ".join(term.group) for term in found]),
        explained=_replaced(question, found, [_explained(question, term) for term in found]),
    )


def _found_terms(question: str, groups: Sequence[Group], language: str) -> list[FoundTerm]:
    """The terms of groups in the question, in order; none is inside a longer one."""
    tokens = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(question)]
    stems = [_stem(word, language) for _, _, word in tokens]
    terms = _terms_by_first_stem(tuple(map(tuple, groups)), language)
    possible = [(first, term) for first, stem in enumerate(stems) for term in terms.get(stem, ())]
    found: list[FoundTerm] = []
    taken: set[int] = set()
    for first, term in sorted(possible, key=lambda item: -len(item[1].stems)):
        places = range(first, first + len(term.stems))
        if tuple(stems[first : first + len(term.stems)]) != term.stems or not taken.isdisjoint(places):
            continue
        if not _is_meant(term.text, [tokens[place][2] for place in places], language):
            continue
        taken.update(places)
        found.append(FoundTerm(tokens[first][0], tokens[places[-1]][1], term.group))
    return sorted(found, key=lambda item: item.start)


@lru_cache(maxsize=KEPT)
def _terms_by_first_stem(groups: tuple[tuple[str, ...], ...], language: str) -> dict[str, list[Term]]:
    """The terms of all groups by their first stem."""
    terms: dict[str, list[Term]] = defaultdict(list)
    for group in groups:
        for text in group:
            stems = tuple(_stem(word, language) for word in _WORD.findall(text))
            if stems:
                terms[stems[0]].append(Term(text, stems, group))
    return dict(terms)


def _is_meant(term: str, written: Sequence[str], language: str) -> bool:
    """Return False for a function word that is spelt like an abbreviation: "it" is not "IT"."""
    functional = analysis.stop_words(language)
    if not all(word.casefold() in functional for word in written):
        return True
    return written == _WORD.findall(term)


def _stem(word: str, language: str) -> str:
    return "".join(analysis.tokens(word, language))


def _replaced(question: str, found: Sequence[FoundTerm], words: Sequence[str]) -> str:
    text = question
    for term, word in reversed(list(zip(found, words, strict=True))):
        text = text[: term.start] + word + text[term.end :]
    return text


def _explained(question: str, term: FoundTerm) -> str:
    written = question[term.start : term.end]
    others = [word for word in term.group if word.casefold() != written.casefold()]
    return f"{written} ({', '.join(others)})" if others else written
