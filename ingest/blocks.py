"""Splits Markdown into blocks that make sense when quoted alone: a paragraph, a list, some rows of a table.

* A block consists of slices of the text, so that nothing is invented.
* A list is quoted with the sentence that introduces it, table rows with their header. This holds for every
  part of a list or table that is too long for one block.
* Text that ends in a colon is never quoted without the text that follows it under the same heading.
* Short paragraphs under one heading are joined, long ones are split between sentences.
* A footnote is a block of its own.

The Markdown is that of our converters: ATX headings, fenced code, pipe tables, items with indented contents.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ingest.chunkers.context import plain_heading
from ingest.text import ends

PARAGRAPH_CHARACTERS: Final = 500
LIST_CHARACTERS: Final = 800
"""Longer paragraphs, and longer lists and tables, are split if possible."""

JOINED_CHARACTERS: Final = 250
"""Paragraphs are joined up to this length."""

LEAD_CHARACTERS: Final = 200
"""The most text of the paragraph above a list or table that serves as its lead, not counting link targets."""

Kind = Literal["text", "list", "table", "code", "note"]
Span = tuple[int, int]

_HEADING: Final = re.compile(r"(#{1,6})[ \t]")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BLANK: Final = re.compile(r"[\s>]*")
"""A blank line, also within a quotation."""

_ITEM: Final = re.compile(r"(?:(?P<bullet>[-*+])|\d{1,9}(?P<delimiter>[.)]))[ \t]")
_LED: Final[tuple[Kind, ...]] = ("list", "table")
_COLON: Final = re.compile(r"[:：][\s*_]*$")
_ADDRESS: Final = re.compile(r"\]\([^()\n]*\)")
_NOTE: Final = re.compile(r"\[\^[^\]\n]+\]:")
_BEYOND: Final = sys.maxsize
"""An offset beyond the end of any text."""

_DELIMITERS: Final = re.compile(r"\|[\s:|-]+\|\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """A block, as slices of the text in characters.

    ``spans``: the last one is the block's own; those before it, a lead or a table's header, are quoted with
    it. ``wholes``: for each span, the whole paragraphs, list or table that it belongs to. ``headings``: those
    above the block, the outermost first, without markup. ``around``: all text between the headings around it.
    """

    kind: Kind
    spans: tuple[Span, ...]
    wholes: tuple[Span, ...]
    headings: tuple[str, ...]
    around: Span

    @property
    def own(self) -> Span:
        """The slice that belongs to no other block."""
        return self.spans[-1]

    def before(self, markdown: str) -> str:
        """Return the lead or header before the block's own slice; usually empty."""
        return "\n".join(markdown[start:end].strip("\n") for start, end in self.spans[:-1])


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that belong together, as spans. ``level``: the heading's, otherwise 0. ``marker``: that of a
    list's items, see :func:`_marker`."""

    kind: Kind
    level: int
    lines: list[Span]
    marker: str = ""

    @property
    def span(self) -> Span:
        return self.lines[0][0], self.lines[-1][1]


@dataclass(frozen=True, slots=True)
class _Slice:
    """A span, and the whole paragraphs, list or table that it belongs to."""

    start: int
    end: int
    whole: Span


def blocks(markdown: str) -> list[Block]:
    """Return the blocks in text order."""
    found: list[Block] = []
    outer: list[tuple[int, str]] = []
    section: list[_Part] = []

    def close_section() -> None:
        headings = tuple(text for _, text in outer)
        for kind, slices in _section_blocks(markdown, _with_leads(markdown, section)):
            spans = tuple((each.start, each.end) for each in slices)
            wholes = tuple(each.whole for each in slices)
            around = section[0].span[0], section[-1].span[1]
            found.append(Block(kind, spans, wholes, headings, around))
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
    """Yield headings, paragraphs, lists, tables, code and footnotes in text order."""
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
            part = _Part(kind, level, [], _marker(line))
        if kind == "code" and (mark := _FENCE.match(line)):
            fence = mark[1]
        part.lines.append((start, end))
        after_blank = False
    if part.lines:
        yield part


def _kind(line: str) -> tuple[Kind, int]:
    """Return the kind of part that begins with this line, and its level if it is a heading, otherwise 0."""
    if heading := _HEADING.match(line):
        return "text", len(heading[1])
    if _FENCE.match(line):
        return "code", 0
    if line.startswith("|"):
        return "table", 0
    if _NOTE.match(line):
        return "note", 0
    return ("list" if _ITEM.match(line) else "text"), 0


def _marker(line: str) -> str:
    """Return an item's bullet, or the delimiter behind its number; empty for other lines."""
    item = _ITEM.match(line)
    return (item["bullet"] or item["delimiter"]) if item else ""


def _goes_on(part: _Part, kind: Kind, line: str, after_blank: bool) -> bool:
    """Return True if a line of this kind continues ``part``."""
    if part.level or not part.lines:
        return False
    if part.kind == "list" and kind == "list":
        return _marker(line) == part.marker
    if part.kind == "list":
        return line[0] in " \t" or (kind == "text" and not after_blank)
    if part.kind == "note":
        return line[0] in " \t" or (kind == "text" and not after_blank)
    return kind == part.kind != "code" and not after_blank


def _with_leads(markdown: str, section: Sequence[_Part]) -> Iterator[_Part]:
    """Yield the parts; the last item of a list becomes a paragraph if it introduces another list or a table
    ("1. The following are prohibited:")."""
    for part, following in pairwise([*section, _Part("text", 0, [])]):
        if part.kind != "list" or following.kind not in _LED or not _leads(markdown, part.span[1]):
            yield part
            continue
        start, _ = _items(markdown, part.lines)[-1]
        before = [line for line in part.lines if line[0] < start]
        if before:
            yield _Part("list", 0, before, part.marker)
        yield _Part("text", 0, part.lines[len(before) :])


def _leads(markdown: str, end: int) -> bool:
    """Return True if the text before ``end`` ends in a colon, which introduces the text after it."""
    return bool(_COLON.search(markdown, max(end - LEAD_CHARACTERS, 0), end))


def _section_blocks(markdown: str, section: Iterable[_Part]) -> Iterator[tuple[Kind, Sequence[_Slice]]]:
    """Yield the kind and slices of each block under one heading; its own slice is the last."""
    paragraphs: list[_Slice] = []
    for part in section:
        if part.kind == "text":
            paragraphs += _pieces(markdown, part.span)
            continue
        lead: list[_Slice] = []
        if paragraphs and (
            part.kind in _LED or (part.kind == "code" and _leads(markdown, paragraphs[-1].end))
        ):
            *paragraphs, last = paragraphs
            rest, lead = _rest_and_lead(markdown, last)
            paragraphs += rest
        yield from (("text", (each,)) for each in _joined(markdown, paragraphs))
        paragraphs = []
        yield from ((part.kind, (*before, own)) for before, own in _grouped(markdown, part, lead))
    yield from (("text", (each,)) for each in _joined(markdown, paragraphs))


def _pieces(markdown: str, span: Span) -> Iterator[_Slice]:
    """Yield a paragraph, split between sentences if it is too long, but not after a colon."""
    start, end = span
    offsets = [end]
    if end - start > PARAGRAPH_CHARACTERS:
        offsets = [start + offset for offset in ends(markdown[start:end])]
        offsets = [offset for offset in offsets if offset == end or not _leads(markdown, offset)]
    for offset, following in pairwise([*offsets, _BEYOND]):
        if following - start > PARAGRAPH_CHARACTERS:
            yield _Slice(start, offset, span)
            start = offset


def _rest_and_lead(markdown: str, paragraph: _Slice) -> tuple[list[_Slice], list[_Slice]]:
    """Split off the paragraph's last sentences, at least one, as a list's lead; the rest may be empty."""
    start, end = paragraph.start, paragraph.end
    offsets = [start, *(start + offset for offset in ends(markdown[start:end]))]
    near = (offset for offset in offsets[:-1] if _visible(markdown[offset:end]) <= LEAD_CHARACTERS)
    first = next(near, offsets[-2])
    rest = [_Slice(start, first, paragraph.whole)] if first > start else []
    return rest, [_Slice(first, end, paragraph.whole)]


def _visible(markdown: str) -> int:
    """Return the number of characters, not counting link targets."""
    return len(_ADDRESS.sub("]", markdown))


def _joined(markdown: str, paragraphs: Iterable[_Slice]) -> list[_Slice]:
    """Join neighbours, from the first, while together they are short or one introduces the next."""
    joined: list[_Slice] = []
    for each in paragraphs:
        last = joined[-1] if joined else None
        if last and (each.end - last.start <= JOINED_CHARACTERS or _leads(markdown, last.end)):
            joined[-1] = _Slice(last.start, each.end, (last.whole[0], each.whole[1]))
        else:
            joined.append(each)
    return joined


def _grouped(markdown: str, part: _Part, lead: Sequence[_Slice]) -> Iterator[tuple[Sequence[_Slice], _Slice]]:
    """Yield a list or table, in parts if it is too long, or code: each with the slices before it."""
    before, whole = list(lead), part.span
    if part.kind not in _LED:
        yield before, _Slice(*whole, whole)
        return
    header, rows = _header_and_rows(markdown, part.kind, part.lines)
    before += [_Slice(*span, whole) for span in header]
    room = max(LIST_CHARACTERS - sum(each.end - each.start for each in before), LIST_CHARACTERS // 2)
    first = rows[0][0]
    for (_, end), (_, following) in pairwise([*rows, (0, _BEYOND)]):
        if following - first > room:
            yield before, _Slice(first, end, whole)
            first = end


def rows(markdown: str, kind: Kind) -> list[Span]:
    """Return the items of a list with the lines indented below each, or the rows of a table below its header;
    other text as one span."""
    if kind not in _LED:
        return [(0, len(markdown))]
    offset, lines = 0, list[Span]()
    for line in markdown.splitlines(keepends=True):
        if not _BLANK.fullmatch(line):
            lines.append((offset, offset + len(line)))
        offset += len(line)
    return _header_and_rows(markdown, kind, lines)[1] if lines else []


def _header_and_rows(markdown: str, kind: Kind, lines: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Return the header and the rows of a table; for a list no header and its items."""
    if kind == "list":
        return [], _items(markdown, lines)
    if len(lines) > 2 and _DELIMITERS.fullmatch(markdown[lines[1][0] : lines[1][1]]):
        return [(lines[0][0], lines[1][1])], list(lines[2:])
    return [], list(lines)


def _items(markdown: str, lines: Iterable[Span]) -> list[Span]:
    """Return the items of a list, each with the lines indented below it."""
    items: list[Span] = []
    for start, end in lines:
        if items and not _ITEM.match(markdown, start, end):
            items[-1] = (items[-1][0], end)
        else:
            items.append((start, end))
    return items
