"""The pieces of a text that show why it was found. Pure functions."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.search.analysis import forms, tokens
from app.search.types import Highlight

_TOKEN: Final = re.compile(r"[^\W_]+")
_LINE: Final = re.compile(r"[^\n]+")

Span = tuple[int, int]


def highlights(
    text: str, words: Sequence[str], language: str, *, limit: int, characters: int
) -> list[Highlight]:
    """At most ``limit`` pieces of about ``characters`` that hold most of the words, in the text's order."""
    wanted = {form for word in words for form in forms(word, (language,))}
    marks = [(span, form) for span, form in _forms(text, language) if form in wanted]
    pieces = [piece for line in _LINE.finditer(text) for piece in _pieces(line.span(), marks, characters)]
    best = sorted(pieces, key=lambda piece: -len({form for _, form in piece}))[:limit]
    return [_highlight(text, [span for span, _ in piece], characters) for piece in sorted(best)]


def _forms(text: str, language: str) -> Iterator[tuple[Span, str]]:
    for match in _TOKEN.finditer(text):
        for form in tokens(match[0], language):
            yield match.span(), form


def _pieces(
    line: Span, marks: Sequence[tuple[Span, str]], characters: int
) -> Iterator[list[tuple[Span, str]]]:
    """A line's marks, those together that fit into one piece."""
    piece: list[tuple[Span, str]] = []
    for span, form in marks:
        if not line[0] <= span[0] < line[1]:
            continue
        if piece and span[1] - piece[0][0][0] > characters:
            yield piece
            piece = []
        piece.append((span, form))
    if piece:
        yield piece


def _highlight(text: str, spans: Sequence[Span], characters: int) -> Highlight:
    """The marks with what stands around them in their line, from word to word."""
    around = max(characters - (spans[-1][1] - spans[0][0]), 0) // 2
    line_start = text.rfind("\n", 0, spans[0][0]) + 1
    line_end = text.find("\n", spans[-1][1])
    start = max(line_start, spans[0][0] - around)
    end = min(line_end if line_end >= 0 else len(text), spans[-1][1] + around)
    while start > line_start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    marks = dict.fromkeys((first - start, last - start) for first, last in spans)
    return Highlight(text=text[start:end], marks=tuple(marks))
