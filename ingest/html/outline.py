"""Reduces a page to the structure that Markdown can express.

Browsers show anything nested in anything. Markdown has only a few kinds of blocks, and emphasis and links
only inside one block. The outline is a small, shallow, well-formed tree of these:

* Wrappers become paragraph breaks.
* Emphasis and links around blocks move into them.
* Cells and headings become one line.
* Layout tables dissolve.
* Structure deeper than :data:`MAX_DEPTH` is flattened; its text stays.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from bs4 import BeautifulSoup, Tag

from ingest.html.raised import write_raised
from ingest.html.tree import Element
from ingest.links import absolute
from ingest.text import visible

MAX_DEPTH: Final = 20
"""The depth to which nested lists, quotes and the like are kept; the Markdown writer recurses over them."""

MAX_COLUMNS: Final = 50
"""Spans are limited to this column: cells that span thousands of rows and columns must not blow up a page."""

REPEATED_CHARACTERS: Final = 100
"""A longer cell is written only once, however many rows or columns it spans."""

MOST_REPEATED: Final = 100_000
"""The most characters of repeated cells on a page."""

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROW_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
_INLINE: Final = {
    "a": "a", "b": "strong", "strong": "strong", "i": "em", "em": "em", "code": "code", "kbd": "code",
    "samp": "code", "tt": "code", "del": "del", "s": "del", "strike": "del", "q": "q",
}  # fmt: skip
_TRANSPARENT: Final = frozenset({
    "abbr", "acronym", "area", "base", "basefont", "bdi", "bdo", "big", "cite", "col", "colgroup",
    "data", "dfn", "em", "font", "head", "html", "img", "ins", "label", "link", "mark", "math", "meta",
    "meter", "nobr", "output", "progress", "rb", "rp", "rt", "rtc", "ruby", "small", "source",
    "span", "sub", "sup", "time", "track", "u", "var", "wbr",
})  # fmt: skip
_FLOW: Final = frozenset({"ul", "ol", "dl", "blockquote"})
_PARENTS: Final = {
    "li": {"ul", "ol"}, "tr": {"table"}, "td": {"tr"}, "th": {"tr"}, "dt": {"dl"}, "dd": {"dl"},
    "caption": {"table"},
}  # fmt: skip
_REQUIRED_CHILD: Final = {"ul": "li", "ol": "li", "dl": "dd", "table": "tr", "tr": "td"}
_RUN: Final = frozenset(_INLINE.values()) | {"br"}
_SYNONYMS: Final = {"menu": "ul", "dir": "ul", "listing": "pre", "xmp": "pre", "plaintext": "pre"}
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Inline:
    tag: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The rules inside one source element: blocks in it close all open elements above ``base``; text goes
    directly into the element open there if ``direct``, otherwise into a paragraph; ``flat``: on one line;
    ``pre``: text unchanged."""

    base: int = 0
    direct: bool = False
    flat: bool = False
    pre: bool = False
    block: bool = True
    inline: _Inline | None = None


def _passed(frame: _Frame) -> _Frame:
    """Return the frame inside an element that changes nothing."""
    return frame if not frame.block and not frame.inline else replace(frame, block=False, inline=None)


class _End:
    """Marker on the walk's stack: the children of an element are done."""


_END: Final = _End()


def outline(root: Element, url: str, skip: frozenset[str] = frozenset()) -> BeautifulSoup:
    """Return the outline of ``root``, links absolute against ``url``, without elements with tags in
    ``skip``."""
    write_raised(root)
    builder = _Builder(url)
    pending: list[Element | str | _End] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            builder.text(node)
        elif isinstance(node, _End):
            builder.leave()
        elif node.tag not in skip:
            builder.enter(node)
            pending.append(_END)
            pending.extend(reversed(builder.children(node)))
    return builder.finish()


class _Builder:
    def __init__(self, url: str) -> None:
        self._url = url
        self._soup = BeautifulSoup("", "lxml")
        self._soup.reset()
        self._open: list[str] = []
        self._open_inlines: list[_Inline] = []
        self._wanted: list[_Inline] = []
        self._frames = [_Frame()]
        self._spaced = True
        self._grid = _Grid()
        self._item_numbers: dict[int, int] = {}

    def finish(self) -> BeautifulSoup:
        self._close_to(0)
        self._soup.endData()
        return self._soup

    def enter(self, element: Element) -> None:
        tag = _SYNONYMS.get(element.tag, element.tag)
        if tag in _INLINE:
            self._frames.append(self._inline_frame(element))
        elif tag == "br":
            self._line_break()
            self._frames.append(_passed(self._frames[-1]))
        elif tag in _TRANSPARENT:
            self._image(element)
            self._frames.append(_passed(self._frames[-1]))
        elif self._frames[-1].flat:
            self._gap()
            self._frames.append(replace(self._frames[-1], block=True, inline=None))
        else:
            self._close_to(self._frames[-1].base)
            self._frames.append(self._block_frame(tag, element))

    def leave(self) -> None:
        frame = self._frames.pop()
        if frame.inline:
            self._wanted.remove(frame.inline)
        elif frame.block and self._frames[-1].flat:
            self._gap()
        elif frame.block:
            self._close_to(self._frames[-1].base)

    def children(self, element: Element) -> list[Element | str]:
        """Return the children of the element entered last; in a table row, spanning cells are repeated in
        each column they cover."""
        is_row = element.tag == "tr" and self._open[-1:] == ["tr"]
        return self._grid.row(element) if is_row else element.children

    def text(self, text: str) -> None:
        frame = self._frames[-1]
        if frame.pre:
            self._soup.handle_data(text)
            return
        text = _SPACE.sub(" ", text)
        if self._spaced:
            text = text.lstrip(" ")
        if not text:
            return
        if text == " ":
            self._close_inlines(self._common_inlines())
        else:
            self._start_run(frame)
            self._open_wanted_inlines()
        self._soup.handle_data(text)
        self._spaced = text.endswith(" ")

    def _block_frame(self, tag: str, element: Element) -> _Frame:
        top = self._open[-1] if self._open else ""
        base = self._frames[-1].base
        if tag == "hr":
            self._void("hr")
        elif tag == "pre" or tag in _HEADINGS:
            self._start(tag)
            return _Frame(len(self._open), direct=True, flat=True, pre=tag == "pre")
        elif top in _PARENTS.get(tag, ()):
            return self._part_frame(tag)
        elif len(self._open) < MAX_DEPTH and (tag in _FLOW or (tag == "table" and _is_data_table(element))):
            self._start(tag)
            self._grid = self._grid.below() if tag == "table" else self._grid
            self._item_numbers[len(self._open)] = _number(element.attributes.get("start", ""), 1)
            return _Frame(len(self._open), direct=True)
        return _Frame(base)

    def _part_frame(self, tag: str) -> _Frame:
        self._start(tag)
        return _Frame(len(self._open), direct=True, flat=tag in ("td", "th", "dt", "caption"))

    def _inline_frame(self, element: Element) -> _Frame:
        tag = _INLINE[element.tag]
        href = absolute(element.attributes.get("href", ""), self._url) if tag == "a" else ""
        unwanted = (tag == "a" and not href) or any(inline.tag == tag for inline in self._wanted)
        inline = None if unwanted else _Inline(tag, href)
        if inline:
            self._wanted.append(inline)
        return replace(self._frames[-1], block=False, inline=inline)

    def _image(self, element: Element) -> None:
        alternative = element.attributes.get("alt", "").strip() if element.tag == "img" else ""
        if alternative:
            self.text(f" {visible(alternative)} ")

    def _line_break(self) -> None:
        frame = self._frames[-1]
        if frame.flat:
            self._gap()
        elif len(self._open) > frame.base or (frame.direct and not self._spaced):
            self._close_inlines(0)
            self._void("br")
        self._spaced = True

    def _gap(self) -> None:
        if self._frames[-1].pre:
            self._soup.handle_data("\n")
        else:
            self.text(" ")

    def _start_run(self, frame: _Frame) -> None:
        """Open the element that text needs: item in a list, cell in a table, paragraph in a wrapper."""
        if len(self._open) > frame.base:
            return
        if self._open and self._open[-1] in _REQUIRED_CHILD:
            while self._open[-1] in _REQUIRED_CHILD:
                self._start(_REQUIRED_CHILD[self._open[-1]])
        elif not frame.direct or self._follows_block():
            self._start("p")

    def _follows_block(self) -> bool:
        siblings = self._soup.currentTag.contents if self._soup.currentTag else []
        return bool(siblings) and isinstance(siblings[-1], Tag) and siblings[-1].name not in _RUN

    def _open_wanted_inlines(self) -> None:
        common = self._common_inlines()
        self._close_inlines(common)
        for inline in self._visible_inlines()[common:]:
            self._soup.handle_starttag(inline.tag, None, None, {"href": inline.href} if inline.href else {})
            self._open.append(inline.tag)
            self._open_inlines.append(inline)

    def _visible_inlines(self) -> list[_Inline]:
        if _HEADINGS.isdisjoint(self._open[-1 - len(self._open_inlines) :]):
            return self._wanted
        return [inline for inline in self._wanted if inline.tag not in ("strong", "em")]

    def _common_inlines(self) -> int:
        common = 0
        for open_inline, wanted in zip(self._open_inlines, self._visible_inlines(), strict=False):
            if open_inline != wanted:
                break
            common += 1
        return common

    def _close_inlines(self, keep: int) -> None:
        self._close_to(len(self._open) - len(self._open_inlines) + keep, spaced=self._spaced)

    def _start(self, tag: str, attributes: dict[str, str] | None = None) -> None:
        if tag == "li" and self._open[-1] == "ol":
            number = self._item_numbers[len(self._open)]
            self._item_numbers[len(self._open)] = number + 1
            attributes = {"value": str(number)}
        self._soup.handle_starttag(tag, None, None, attributes or {})
        self._open.append(tag)
        self._spaced = True

    def _void(self, tag: str, attributes: dict[str, str] | None = None) -> None:
        self._soup.handle_starttag(tag, None, None, attributes or {})
        self._soup.handle_endtag(tag)

    def _close_to(self, height: int, spaced: bool = True) -> None:
        while len(self._open) > height:
            self._soup.handle_endtag(self._open.pop())
            if self._open_inlines:
                self._open_inlines.pop()
        self._spaced = spaced


class _Grid:
    """The rows of a table, with spanning cells repeated in each row and column they cover."""

    def __init__(self, left: int = MOST_REPEATED) -> None:
        self._left = left
        self._above: dict[int, tuple[int, Element]] = {}
        """The cell that covers a column from above, by column, with the number of further rows it covers."""

    def below(self) -> "_Grid":
        """Return the grid of the next table of the page."""
        return _Grid(self._left)

    def row(self, row: Element) -> list[Element | str]:
        """Return the children of the next row."""
        cells: list[Element | str] = []
        column, own = 0, _cells(row)
        is_shared = own + len(self._above) > 1
        for child in row.children:
            if isinstance(child, str) or child.tag not in ("td", "th"):
                cells.append(child)
                continue
            column += self._cover(column, cells, is_told=own > 0)
            width = max(1, min(_number(child.attributes.get("colspan", ""), 1), MAX_COLUMNS - column))
            rows = _number(child.attributes.get("rowspan", ""), 1)
            cells += (child, *(self._again(child, is_told=is_shared) for _ in range(width - 1)))
            covered = range(column, min(column + width, MAX_COLUMNS)) if rows > 1 else ()
            self._above |= dict.fromkeys(covered, (rows - 1, child))
            column += width
        self._cover(column, cells, is_told=own > 0)
        return cells

    def _cover(self, start: int, cells: list[Element | str], *, is_told: bool) -> int:
        """Add the cells above that cover the columns from ``start``; return their number."""
        column = start
        while column in self._above:
            rows, cell = self._above.pop(column)
            if rows > 1:
                self._above[column] = rows - 1, cell
            cells.append(self._again(cell, is_told=is_told))
            column += 1
        return column - start

    def _again(self, cell: Element, *, is_told: bool) -> Element:
        """Return the cell again, empty if it is long, or if ``is_told`` is False."""
        length = sum(map(len, cell.texts())) if is_told else 0
        if not 0 < length <= min(REPEATED_CHARACTERS, self._left):
            return Element(cell.tag)
        self._left -= length
        return cell


def _number(text: str, default: int) -> int:
    """Return a positive number of at most 6 digits, otherwise ``default``."""
    return (int(text) or default) if re.fullmatch(r"[0-9]{1,6}", text) else default


def _is_data_table(table: Element) -> bool:
    """Return True if some row has two cells and the table is not only for layout."""
    if table.holds_table or table.attributes.get("role") in ("presentation", "none"):
        return False
    groups = [child for child in table.children if isinstance(child, Element)]
    rows = [row for group in groups for row in (group.children if group.tag in _ROW_GROUPS else [group])]
    return any(isinstance(row, Element) and row.tag == "tr" and _cells(row) > 1 for row in rows)


def _cells(row: Element) -> int:
    return sum(1 for cell in row.children if isinstance(cell, Element) and cell.tag in ("td", "th"))
