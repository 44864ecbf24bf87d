"""Marks the values that differ between two statements. Pure functions."""

from collections.abc import Iterator

from app.features.contradictions.statements import stated_in
from app.features.contradictions.store import FoundContradiction, Passage
from app.features.contradictions.translated import COUNT

Pieces = list[tuple[str, bool]]
"""A text in pieces, each with True if it is a value that the other text lacks."""


def marked(found: FoundContradiction) -> list[tuple[Passage, Pieces]]:
    """Return both passages, each with its text in pieces."""
    one, other = found.one, found.other
    return [(one, _pieces(one, other, found.kind)), (other, _pieces(other, one, found.kind))]


def values(pieces: Pieces) -> list[str]:
    """Return the marked values as they are written."""
    return [text for text, is_marked in pieces if is_marked]


def _pieces(one: Passage, other: Passage, kind: str) -> Pieces:
    others = {value for value, _ in _stated(other, kind)}
    spans = sorted({span for value, span in _stated(one, kind) if value not in others})
    pieces: Pieces = []
    at = 0
    for start, end in spans:
        if start >= at:
            pieces += (one.text[at:start], False), (one.text[start:end], True)
            at = end
    return [piece for piece in (*pieces, (one.text[at:], False)) if piece[0]]


def _stated(passage: Passage, kind: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for each in stated_in(passage.text, passage.ref.language):
        if each.kind == kind or (kind == COUNT and each.kind.startswith("of ")):
            yield each.value, each.span
