"""Makes a page's chunks from the pieces of its fields."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ingest.chunkers.context import context_lines
from ingest.types import FIELDS, Chunk, FieldName, Page


class Piece(NamedTuple):
    """A core, by byte offsets in the field's UTF-8. ``text``: the core with its overlap."""

    start: int
    end: int
    text: str


Cut = Callable[[str], Sequence[Piece]]
"""Cuts a field's Markdown into pieces whose cores, joined, are the Markdown byte for byte."""


def chunks_of(page: Page, cut: Cut, *, context_line: bool) -> list[Chunk]:
    """Return the chunks of every non-empty field, in the order of ``FIELDS``. Only content has context
    lines."""
    return [
        chunk for name in FIELDS if name in page.fields for chunk in _field(page, name, cut, context_line)
    ]


def joined(cores: Iterable[tuple[str, str]]) -> list[Piece]:
    """Return the pieces of a text, given its cores in order as pairs of overlap and core."""
    pieces, start = [], 0
    for before, core in cores:
        end = start + len(core.encode())
        pieces.append(Piece(start, end, before + core))
        start = end
    return pieces


def _field(page: Page, name: FieldName, cut: Cut, context_line: bool) -> list[Chunk]:
    pieces = cut(page.fields[name])
    contexts = [""] * len(pieces)
    if context_line and name == "content":
        contexts = context_lines(page, [piece.start for piece in pieces])
    return [
        Chunk(
            field=name,
            position=position,
            start=piece.start,
            end=piece.end,
            context=contexts[position],
            text=piece.text,
        )
        for position, piece in enumerate(pieces)
    ]
