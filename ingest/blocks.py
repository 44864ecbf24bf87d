"""Markdown as blocks: what a reader takes in at once, such as a paragraph, a list or some rows of a table.

A block is made of slices of the text, so that nothing is invented. A list is read with the sentence that
leads to it, and rows of a table with their header; where a list or table is too long for a block, each of its
parts is. Short paragraphs under one heading are one block, long ones are split between sentences; a footnote
is a block of its own. The Markdown is that of our converters: ATX headings, fenced code, pipe tables, items
with indented contents.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ingest.chunkers.context import plain_heading
from ingest.sentences import ends

PARAGRAPH_CHARACTERS: Final = 500
LIST_CHARACTERS: Final = 800
"""A longer paragraph, list or table is split, where it can be."""

JOINED_CHARACTERS: Final = 250
"""Paragraphs are joined up to here."""

LEAD_CHARACTERS: Final = 200
"""The most that is read before a list or table of the paragraph above it."""

Kind = Literal["text", "list", "table", "code", "note"]
Span = tuple[int, int]

_HEADING: Final = re.compile(r"(#{1,6})[ \t]")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BLANK: Final = re.compile(r"[\s>]*")
"""Nothing, in a quotation too."""

_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_LED: Final[tuple[Kind, ...]] = ("list", "table")
_NOTE: Final = re.compile(r"\[\^[^\]\n]+\]:")
_BEYOND: Final = sys.maxsize
"""An offset after every text."""

_DELIMITERS: Final = re.compile(r"\|[\s:|-]+\|\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """``spans``: slices of the text, in characters. The last one is the block's own; those before it, a lead
    or a table's header, are read with it. ``headings``: those in force, the outermost first, without markup.
    """

    kind: Kind
    spans: tuple[Span, ...]
    headings: tuple[str, ...]

    @property
    def own(self) -> Span:
        """The slice that no other block has."""
        return self.spans[-1]

    def before(self, markdown: str) -> str:
        """Return what is read before the block's own slice; mostly nothing."""
        return "\n".join(markdown[start:end].strip("\n") for start, end in self.spans[:-1])


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that belong together, as spans. ``level``: of a heading, else 0."""

    kind: Kind
    level: int
    lines: list[Span]

    @property
    def span(self) -> Span:
        return self.lines[0][0], self.lines[-1][1]


def blocks(markdown: str) -> list[Block]:
    """Return the blocks in text order."""
    found: list[Block] = []
    outer: list[tuple[int, str]] = []
    section: list[_Part] = []

    def close_section() -> None:
        headings = tuple(text for _, text in outer)
        found.extend(Block(kind, spans, headings) for kind, spans in _section_blocks(markdown, section))
        section.clear()

    for part in _parts(markdown):
        if not part.level:
            section.append(part)
            continue
        close_section()
        start, end = part.span
        outer = [heading for heading in outer if heading[0] < part.level]
        outer.append((part.level, plain_heading(markdown[start + part.level : end])))
    close_section()
    return found


def _parts(markdown: str) -> Iterator[_Part]:
    """Headings, paragraphs, lists, tables and code."""
    part, fence, after_blank, end = _Part("text", 0, []), "", True, 0
    for line in markdown.splitlines(keepends=True):
        start, end = end, end + len(line)
        if fence:
            part.lines.append((start, end))
            fence = "" if line.strip() == fence else fence
            continue
        if _BLANK.fullmatch(line):
            after_blank = True
            continue
        kind, level = _kind(line)
        if level or not _goes_on(part, kind, line, after_blank):
            if part.lines:
                yield part
            part = _Part(kind, level, [])
        if kind == "code" and (mark := _FENCE.match(line)):
            fence = mark[1]
        part.lines.append((start, end))
        after_blank = False
    if part.lines:
        yield part


def _kind(line: str) -> tuple[Kind, int]:
    """What begins with this line, and the level of a heading."""
    if heading := _HEADING.match(line):
        return "text", len(heading[1])
    if _FENCE.match(line):
        return "code", 0
    if line.startswith("|"):
        return "table", 0
    if _NOTE.match(line):
        return "note", 0
    return ("list" if _ITEM.match(line) else "text"), 0


def _goes_on(part: _Part, kind: Kind, line: str, after_blank: bool) -> bool:
    """True if a line of this kind belongs to the part before it."""
    if part.level or not part.lines:
        return False
    if part.kind == "list":
        return kind == "list" or line[0] in " \t" or (kind == "text" and not after_blank)
    if part.kind == "note":
        return line[0] in " \t" or (kind == "text" and not after_blank)
    return kind == part.kind != "code" and not after_blank


def _section_blocks(markdown: str, section: Sequence[_Part]) -> Iterator[tuple[Kind, tuple[Span, ...]]]:
    """The blocks under one heading."""
    paragraphs: list[Span] = []
    for part in section:
        if part.kind == "text":
            paragraphs += _pieces(markdown, part.span)
            continue
        lead = [_lead(markdown, paragraphs[-1])] if paragraphs and part.kind in _LED else []
        if lead and lead == paragraphs[-1:]:
            paragraphs.pop()  # it is read with the list
        yield from (("text", (span,)) for span in _joined(paragraphs))
        paragraphs = []
        yield from ((part.kind, (*before, own)) for before, own in _grouped(markdown, part, lead))
    yield from (("text", (span,)) for span in _joined(paragraphs))


def _pieces(markdown: str, span: Span) -> Iterator[Span]:
    """A paragraph, split between sentences where it is too long."""
    start, end = span
    is_long = end - start > PARAGRAPH_CHARACTERS
    offsets = [start + offset for offset in ends(markdown[start:end])] if is_long else [end]
    for offset, following in pairwise([*offsets, _BEYOND]):
        if following - start > PARAGRAPH_CHARACTERS:
            yield start, offset
            start = offset


def _lead(markdown: str, paragraph: Span) -> Span:
    """The last sentences of a paragraph, one at least."""
    start, end = paragraph
    offsets = [start, *(start + offset for offset in ends(markdown[start:end]))]
    near = (offset for offset in offsets[:-1] if end - offset <= LEAD_CHARACTERS)
    return next(near, offsets[-2]), end


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Neighbours as one, from the first, while they are short."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and end - joined[-1][0] <= JOINED_CHARACTERS:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _grouped(markdown: str, part: _Part, lead: Sequence[Span]) -> Iterator[tuple[Sequence[Span], Span]]:
    """A list, table or code, in parts if it is too long: what is read before each, and its own lines."""
    before, rows = list(lead), part.lines
    if part.kind not in _LED:
        yield before, part.span
        return
    if part.kind == "list":
        rows = _items(markdown, part.lines)
    elif len(rows) > 2 and _DELIMITERS.fullmatch(markdown[rows[1][0] : rows[1][1]]):
        before, rows = [*before, (rows[0][0], rows[1][1])], rows[2:]
    room = max(LIST_CHARACTERS - sum(end - start for start, end in before), LIST_CHARACTERS // 2)
    first = rows[0][0]
    for (_, end), (_, following) in pairwise([*rows, (0, _BEYOND)]):
        if following - first > room:
            yield before, (first, end)
            first = end


def _items(markdown: str, lines: Iterable[Span]) -> list[Span]:
    """The items of a list, each with what is indented below it."""
    items: list[Span] = []
    for start, end in lines:
        if items and not _ITEM.match(markdown, start, end):
            items[-1] = (items[-1][0], end)
        else:
            items.append((start, end))
    return items
