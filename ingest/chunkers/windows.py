"""Byte windows: cores of 512 bytes, each extended by 20 % of its neighbours.

Semantics (exact): core ``i`` of a field of ``n`` UTF-8 bytes starts at ``c·i`` and ends at ``c·(i+1)`` (the
last at ``n``), both moved back to the start of a code point. So there are exactly ``ceil(n / c)`` cores, and
joined they are the field byte for byte. A window's text adds the last ``o`` bytes before the core and the
first ``o`` after it, moved inwards to a code-point start. ``c`` is ``core_bytes``, ``o`` is
``overlap_bytes``. So all windows but the outermost have ``c + 2·o`` bytes, and neighbours share ``2·o``.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from ingest.chunkers.fields import Piece, chunks_of
from ingest.protocols import Recipe
from ingest.types import Chunk, Page

CORE_BYTES: Final = 512
OVERLAP_BYTES: Final = 102
MIN_CORE_BYTES: Final = 4
"""The length of the longest code point, so that no core is empty."""


class WindowsChunker:
    """Splits every non-empty field into windows; see the module for the exact semantics.

    With ``context_line`` the content's chunks carry ``title › heading › heading`` (the headings in force
    at the core's start), embedded before the window.
    """

    def __init__(
        self, context_line: bool = True, core_bytes: int = CORE_BYTES, overlap_bytes: int = OVERLAP_BYTES
    ) -> None:
        """Raise ``ValueError`` unless cores have at least 4 bytes and an overlap is no longer than a core."""
        if core_bytes < MIN_CORE_BYTES:
            raise ValueError(f"cores of {core_bytes} bytes: use {MIN_CORE_BYTES} or more")
        if not 0 <= overlap_bytes <= core_bytes:
            raise ValueError(
                f"an overlap of {overlap_bytes} with {core_bytes} core_bytes: use 0 to {core_bytes}"
            )
        self.context_line = context_line
        self._cut = partial(_windows, core_bytes=core_bytes, overlap_bytes=overlap_bytes)
        self.recipe: Recipe = {
            "name": "windows",
            "version": 1,
            "core_bytes": core_bytes,
            "overlap_bytes": overlap_bytes,
            "context_line": context_line,
        }

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Return the windows of every non-empty field, in the order of ``FIELDS``."""
        return chunks_of(page, self._cut, context_line=self.context_line)


def core_spans(data: bytes, core_bytes: int = CORE_BYTES) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of every core of the UTF-8 ``data``."""
    cuts = [_back(data, cut) for cut in range(0, len(data), core_bytes)]
    return list(zip(cuts, [*cuts[1:], len(data)], strict=True))


def window_text(data: bytes, start: int, end: int, overlap_bytes: int = OVERLAP_BYTES) -> str:
    """Return the core ``data[start:end]`` with its overlaps."""
    first = _forward(data, max(start - overlap_bytes, 0))
    last = _back(data, min(end + overlap_bytes, len(data)))
    return data[first:last].decode()


def _windows(markdown: str, core_bytes: int, overlap_bytes: int) -> list[Piece]:
    data = markdown.encode()
    return [
        Piece(start, end, window_text(data, start, end, overlap_bytes))
        for start, end in core_spans(data, core_bytes)
    ]


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
