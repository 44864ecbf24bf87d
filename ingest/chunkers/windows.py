"""Byte windows: cores of 512 bytes that join to the field, each read with 20 % of its neighbours.

Semantics (exact): core ``i`` of a field of ``n`` UTF-8 bytes starts at ``512·i`` and ends at
``512·(i+1)`` (the last at ``n``), both moved back to the start of a code point, so there are exactly
``ceil(n / 512)`` cores and they join to the field byte for byte. A window's text adds the last 102 bytes of
the core before and the first 102 of the core after, moved inwards to a code-point start.
"""

from collections.abc import Sequence
from typing import Final

from ingest.chunkers.fields import Piece, chunks_of
from ingest.protocols import Recipe
from ingest.types import Chunk, Page

CORE_BYTES: Final = 512
OVERLAP_BYTES: Final = 102


class WindowsChunker:
    """Splits every non-empty field into windows; see the module for the exact semantics.

    With ``context_line`` the content's chunks carry ``title › heading › heading`` (the headings in force
    at the core's start), which is embedded before the window.
    """

    def __init__(self, context_line: bool = True) -> None:
        self.context_line = context_line
        self.recipe: Recipe = {
            "name": "windows",
            "version": 1,
            "core_bytes": CORE_BYTES,
            "overlap_bytes": OVERLAP_BYTES,
            "context_line": context_line,
        }

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """The windows of every non-empty field, in the order of ``FIELDS``."""
        return chunks_of(page, _windows, context_line=self.context_line)


def core_spans(data: bytes) -> list[tuple[int, int]]:
    """``(start, end)`` of every core of the UTF-8 ``data``."""
    cuts = [_back(data, cut) for cut in range(0, len(data), CORE_BYTES)]
    return list(zip(cuts, [*cuts[1:], len(data)], strict=True))


def window_text(data: bytes, start: int, end: int) -> str:
    """The core ``data[start:end]`` with its overlaps."""
    first = _forward(data, max(start - OVERLAP_BYTES, 0))
    last = _back(data, min(end + OVERLAP_BYTES, len(data)))
    return data[first:last].decode()


def _windows(markdown: str) -> list[Piece]:
    data = markdown.encode()
    return [Piece(start, end, window_text(data, start, end)) for start, end in core_spans(data)]


def _is_continuation(data: bytes, offset: int) -> bool:
    return offset < len(data) and data[offset] & 0xC0 == 0x80


def _back(data: bytes, offset: int) -> int:
    while _is_continuation(data, offset):
        offset -= 1
    return offset


def _forward(data: bytes, offset: int) -> int:
    while _is_continuation(data, offset):
        offset += 1
    return offset
