"""Fragments of a page's content that show why it was found. Pure functions, in linear time."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.search.analysis import forms, tokens
from app.search.types import Highlight

HIGHLIGHTS: Final = 3
"""The most fragments of a page."""

HIGHLIGHT_CHARACTERS: Final = 150
"""The approximate length of a fragment."""

ANALYSED_CHARACTERS: Final = 1_000_000
"""The beginning of a long page that is searched."""

# Letters and digits, each with the combining marks of decomposed text.
_TOKEN: Final = re.compile("(?:[^\\W_][\u0300-\u036f]*)+")
_LINE: Final = re.compile(r"[^\n]+")
_CACHED_TOKENS: Final = 65_536


@dataclass(frozen=True, slots=True)
class _Match:
    """A match of a word of the question in the text: its offsets, and the wanted forms that it has."""

    start: int
    end: int
    forms: frozenset[str]


def highlights(text: str, words: Sequence[str], language: str) -> list[Highlight]:
    """Return the fragments of ``text`` with most of the words, in any form, in the text's order."""
    wanted = frozenset(form for word in words for form in forms(word, (language,)))
    if not wanted:
        return []
    lines = _LINE.finditer(text, 0, ANALYSED_CHARACTERS)
    fragments = [
        fragment for line in lines for fragment in _fragments(_matches(text, line.span(), wanted, language))
    ]
    best = sorted(fragments, key=_distinct_forms, reverse=True)
    chosen = sorted(best[:HIGHLIGHTS], key=lambda fragment: fragment[0].start)
    return [_highlight(text, fragment) for fragment in chosen]


def marks(text: str, words: Sequence[str], languages: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the character offsets of the words in ``text``, in any form in these languages, in order."""
    wanted = frozenset(form for word in words for form in forms(word, languages))
    whole = (0, len(text))
    found = {
        (match.start, match.end)
        for language in languages
        for match in _matches(text, whole, wanted, language)
    }
    return tuple(sorted(found))


def _distinct_forms(fragment: Sequence[_Match]) -> int:
    return len(frozenset[str]().union(*(match.forms for match in fragment)))


def _matches(text: str, line: tuple[int, int], wanted: Collection[str], language: str) -> Iterator[_Match]:
    for token in _TOKEN.finditer(text, *line):
        if found := _forms(token[0], language).intersection(wanted):
            yield _Match(token.start(), token.end(), found)


@lru_cache(maxsize=_CACHED_TOKENS)
def _forms(token: str, language: str) -> frozenset[str]:
    return frozenset(tokens(token, language))


def _fragments(matches: Iterator[_Match]) -> Iterator[list[_Match]]:
    """Yield groups of a line's matches, each of which fits into one fragment."""
    fragment: list[_Match] = []
    for match in matches:
        if fragment and match.end - fragment[0].start > HIGHLIGHT_CHARACTERS:
            yield fragment
            fragment = []
        fragment.append(match)
    if fragment:
        yield fragment


def _highlight(text: str, matches: Sequence[_Match]) -> Highlight:
    """Return the matches with the text around them in their line, cut between words."""
    first, last = matches[0].start, matches[-1].end
    around = max(HIGHLIGHT_CHARACTERS - (last - first), 0) // 2
    line_start, line_end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    start = max(line_start, first - around)
    end = min(line_end if line_end >= 0 else len(text), last + around)
    while start > line_start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    marks = tuple((match.start - start, match.end - start) for match in matches)
    return Highlight(text=text[start:end], marks=marks)
