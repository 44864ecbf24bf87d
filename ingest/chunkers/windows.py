"""Byte windows: cores of 512 bytes that join to the field, each read with 20 % of its neighbours.

Semantics (exact): core ``i`` of a field of ``n`` UTF-8 bytes starts at ``512·i`` and ends at
``512·(i+1)`` (the last at ``n``), both moved back to the start of a code point, so there are exactly
``ceil(n / 512)`` cores and they join to the field byte for byte. A window's text adds the last 102 bytes of
the core before and the first 102 of the core after, moved inwards to a code-point start.
"""

import bisect
import re
from collections.abc import Sequence
from typing import Final

from ingest.protocols import Recipe
from ingest.types import FIELDS, Chunk, FieldName, Page

CORE_BYTES: Final = 512
OVERLAP_BYTES: Final = 102
MAX_CONTEXT_CHARACTERS: Final = 200

MAX_HEADING_CHARACTERS: Final = 1_000
"""Of a heading line; more never shows in a context line, and patterns on it must stay cheap."""

_HEADING: Final = re.compile(r"(#{1,6})[ \t](.*)")
_FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")


class WindowsChunker:
    """Cuts every non-empty field into windows; see the module for the exact semantics.

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
        return [chunk for name in FIELDS if name in page.fields for chunk in self._field(page, name)]

    def _field(self, page: Page, name: FieldName) -> list[Chunk]:
        data = page.fields[name].encode()
        cores = core_spans(data)
        contexts = [""] * len(cores)
        if self.context_line and name == "content":
            contexts = _contexts(page, [start for start, _ in cores])
        return [
            Chunk(
                field=name,
                position=position,
                start=start,
                end=end,
                context=contexts[position],
                text=window_text(data, start, end),
            )
            for position, (start, end) in enumerate(cores)
        ]


def core_spans(data: bytes) -> list[tuple[int, int]]:
    """``(start, end)`` of every core of the UTF-8 ``data``."""
    cuts = [_back(data, cut) for cut in range(0, len(data), CORE_BYTES)]
    return list(zip(cuts, [*cuts[1:], len(data)], strict=True))


def window_text(data: bytes, start: int, end: int) -> str:
    """The core ``data[start:end]`` with its overlaps."""
    first = _forward(data, max(start - OVERLAP_BYTES, 0))
    last = _back(data, min(end + OVERLAP_BYTES, len(data)))
    return data[first:last].decode()


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


def _contexts(page: Page, starts: Sequence[int]) -> list[str]:
    title = _plain(page.fields.get("title") or page.fields.get("name", ""))
    paths = _heading_paths(page.fields["content"])
    offsets = [offset for offset, _ in paths]
    contexts = []
    for start in starts:
        in_force = bisect.bisect_right(offsets, start)
        headings = paths[in_force - 1][1] if in_force else ()
        contexts.append(_line((title, *headings)))
    return contexts


def _line(parts: Sequence[str]) -> str:
    distinct = dict.fromkeys(part for part in parts if part)
    return " › ".join(distinct)[:MAX_CONTEXT_CHARACTERS]


def _plain(heading: str) -> str:
    """The heading's text without closing marks and link targets, on one line."""
    text = heading[:MAX_HEADING_CHARACTERS].strip().rstrip("#")
    return " ".join(_LINK.sub(r"\1", text).split())


def _heading_paths(markdown: str) -> list[tuple[int, tuple[str, ...]]]:
    """Each ATX heading's byte offset with the headings in force from there on; code blocks have none."""
    paths: list[tuple[int, tuple[str, ...]]] = []
    stack: list[tuple[int, str]] = []
    offset, fence = 0, ""
    for line in markdown.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            stack = [(level, text) for level, text in stack if level < len(heading[1])]
            stack.append((len(heading[1]), _plain(heading[2])))
            paths.append((offset, tuple(text for _, text in stack)))
        offset += len(line.encode())
    return paths
