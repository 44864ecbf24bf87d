"""The pieces of a page's content that show why it was found. Pure functions, in linear time."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.search.analysis import forms, tokens
from app.search.types import Highlight

HIGHLIGHTS: Final = 3
"""Pieces of a page, at most."""

HIGHLIGHT_CHARACTERS: Final = 150
"""About how long a piece is."""

ANALYSED_CHARACTERS: Final = 1_000_000
"""How much of a long page is looked at."""

# Letters and digits, each with the combining marks of decomposed text.
_TOKEN: Final = re.compile("(?:[^\\W_][\u0300-\u036f]*)+")
_LINE: Final = re.compile(r"[^\n]+")
_CACHED_TOKENS: Final = 65_536


@dataclass(frozen=True, slots=True)
class _Mark:
    """A word of the question in the text: its offsets, and the forms it stands for."""

    start: int
    end: int
    forms: frozenset[str]


def highlights(text: str, words: Sequence[str], language: str) -> list[Highlight]:
    """The pieces of ``text`` that hold most of the words in any of their forms, in the text's order."""
    wanted = frozenset(form for word in words for form in forms(word, (language,)))
    if not wanted:
        return []
    lines = _LINE.finditer(text, 0, ANALYSED_CHARACTERS)
    pieces = [piece for line in lines for piece in _pieces(_marks(text, line.span(), wanted, language))]
    best = sorted(pieces, key=lambda piece: -len(frozenset[str]().union(*(mark.forms for mark in piece))))
    chosen = sorted(best[:HIGHLIGHTS], key=lambda piece: piece[0].start)
    return [_highlight(text, piece) for piece in chosen]


def _marks(text: str, line: tuple[int, int], wanted: Collection[str], language: str) -> Iterator[_Mark]:
    for match in _TOKEN.finditer(text, *line):
        found = _forms(match[0], language).intersection(wanted)
        if found:
            yield _Mark(match.start(), match.end(), found)


@lru_cache(maxsize=_CACHED_TOKENS)
def _forms(token: str, language: str) -> frozenset[str]:
    return frozenset(tokens(token, language))


def _pieces(marks: Iterator[_Mark]) -> Iterator[list[_Mark]]:
    """A line's marks, those together that fit into one piece."""
    piece: list[_Mark] = []
    for mark in marks:
        if piece and mark.end - piece[0].start > HIGHLIGHT_CHARACTERS:
            yield piece
            piece = []
        piece.append(mark)
    if piece:
        yield piece


def _highlight(text: str, marks: Sequence[_Mark]) -> Highlight:
    """The marks with what stands around them in their line, from word to word."""
    first, last = marks[0].start, marks[-1].end
    around = max(HIGHLIGHT_CHARACTERS - (last - first), 0) // 2
    line_start, line_end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    start = max(line_start, first - around)
    end = min(line_end if line_end >= 0 else len(text), last + around)
    while start > line_start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return Highlight(
        text=text[start:end], marks=tuple((mark.start - start, mark.end - start) for mark in marks)
    )
