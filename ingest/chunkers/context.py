"""Headings in Markdown, and the context line of a chunk: ``title › heading › heading``."""

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import Final

from ingest.types import Page

MAX_CONTEXT_CHARACTERS: Final = 200

MAX_HEADING_CHARACTERS: Final = 1_000
"""Longer heading lines are cut: a context line is shorter anyway, and the patterns must stay cheap."""

_HEADING: Final = re.compile(r"(#{1,6})[ \t](.*)")
_FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")


def context_lines(page: Page, starts: Sequence[int]) -> list[str]:
    """Return a context line for each byte offset in the content: title and headings in force there."""
    title = plain_heading(page.fields.get("title") or page.fields.get("name", ""))
    paths = _heading_paths(page.fields["content"])
    offsets = [offset for offset, _ in paths]
    contexts = []
    for start in starts:
        in_force = bisect.bisect_right(offsets, start)
        headings = paths[in_force - 1][1] if in_force else ()
        contexts.append(context_line((title, *headings)))
    return contexts


def marked_lines(markdown: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield every line with its line end, and a match if it is an ATX heading outside code blocks."""
    fence = ""
    for line in markdown.splitlines(keepends=True):
        mark, heading = _FENCE.match(line), None
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            heading = _HEADING.match(line)
        yield line, heading


def _heading_paths(markdown: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return each heading's byte offset with the headings in force from there."""
    paths: list[tuple[int, tuple[str, ...]]] = []
    stack: list[tuple[int, str]] = []
    offset = 0
    for line, heading in marked_lines(markdown):
        if heading:
            stack = [(level, text) for level, text in stack if level < len(heading[1])]
            stack.append((len(heading[1]), plain_heading(heading[2])))
            paths.append((offset, tuple(text for _, text in stack)))
        offset += len(line.encode())
    return paths


def context_line(parts: Sequence[str]) -> str:
    """Return title and headings on one line, each only once."""
    distinct = dict.fromkeys(part for part in parts if part)
    return " › ".join(distinct)[:MAX_CONTEXT_CHARACTERS]


def plain_heading(heading: str) -> str:
    """Return the heading's text without closing marks and link targets, on one line."""
    text = heading[:MAX_HEADING_CHARACTERS].strip().rstrip("#")
    return " ".join(_LINK.sub(r"\1", text).split())


def first_heading(markdown: str) -> str:
    """Return the text of the first heading, without marks; empty if there is none."""
    return next((plain_heading(found[2]) for _, found in marked_lines(markdown) if found), "")
