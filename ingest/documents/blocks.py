"""Writes a document's blocks as HTML, which is then converted like that of any page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from typing import Final

MAX_LEVEL: Final = 6
MAX_DEPTH: Final = 9
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class _Notes:
    """Notes that wait for the end of the block that refers to them, and the count of all notes so far."""

    count: int = 0
    waiting: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as HTML, and the number of columns it spans. ``is_covered``: the cell above extends to here."""

    content: str
    columns: int = 1
    is_covered: bool = False


class BlockWriter:
    """Collects blocks. ``content`` is always HTML of running text; blocks without any are left out.

    Footnotes come after the block that refers to them, marked with superscript numbers, because numbers in
    brackets would look like the citations of an answer.
    """

    def __init__(self, notes: _Notes | None = None) -> None:
        self._parts: list[str] = []
        self._lists: list[tuple[str, int]] = []  # tag and next number of each open list
        self._notes = notes or _Notes()
        self._is_whole = notes is None

    def inner(self) -> "BlockWriter":
        """Return a writer for the blocks in a cell; their notes come after the table."""
        return BlockWriter(self._notes)

    def heading(self, level: int, content: str) -> None:
        """Write a heading of level 1 to 6; deeper levels become 6."""
        tag = f"h{min(max(level, 1), MAX_LEVEL)}"
        self._block(content, tag)

    def paragraph(self, content: str) -> None:
        """Write a paragraph."""
        self._block(content, "div")

    def item(self, depth: int, content: str, number: int | None = None) -> None:
        """Write a list item at ``depth``, from 0; ``number``: that of a numbered item."""
        if not content.strip():
            return
        depth = min(depth, len(self._lists), MAX_DEPTH)
        tag = "ul" if number is None else "ol"
        self._close_lists(depth + 1)
        if self._lists[depth:] == [(tag, number or 0)]:
            self._parts.append("</li><li>")
            self._lists.pop()
        else:
            self._close_lists(depth)
            self._parts.append("<ul><li>" if number is None else f"<ol start={number}><li>")
        self._parts.append(content)
        self._lists.append((tag, 0 if number is None else number + 1))

    def table(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write a table whose first row is its head."""
        self._end_lists()
        written = (f"<tr>{''.join(map(_cell, row))}</tr>" for row in _spanning(rows))
        self._parts.append(f"<table>{''.join(written)}</table>")
        self._write_notes()

    def note(self, content: str) -> str:
        """Keep a note for the end of the block; return its mark."""
        if not content.strip():
            return ""
        self._notes.count += 1
        mark = str(self._notes.count).translate(_RAISED)
        self._notes.waiting.append(f"<div>{mark} {content}</div>")
        return f" {mark}"

    def html(self) -> str:
        """Return all blocks."""
        self._end_lists()
        return "".join(self._parts)

    def _block(self, content: str, tag: str) -> None:
        self._end_lists()
        if content.strip():
            self._parts.append(f"<{tag}>{content}</{tag}>")
        self._write_notes()

    def _close_lists(self, depth: int) -> None:
        while len(self._lists) > depth:
            tag, _ = self._lists.pop()
            self._parts.append(f"</li></{tag}>")

    def _end_lists(self) -> None:
        if self._lists:
            self._close_lists(0)
            self._write_notes()

    def _write_notes(self) -> None:
        if self._is_whole:
            self._parts += self._notes.waiting
            self._notes.waiting.clear()


def text(plain: str | None) -> str:
    """Return plain text as HTML."""
    return escape(plain or "", quote=False)


def link(content: str, address: str) -> str:
    """Return running text as a link, or unchanged if the address is not ``http``, ``https`` or ``mailto``."""
    if not content.strip() or not address.startswith(("https://", "http://", "mailto:")):
        return content
    return f'<a href="{escape(address)}">{content}</a>'


@dataclass(slots=True, eq=False)
class _Spanning:
    """A cell, its first column, and the number of rows it spans."""

    cell: Cell
    start: int
    rows: int = 1

    def continues(self, covered: Mapping[int, int]) -> bool:
        """Return True if the next row has covered cells exactly below this one. ``covered``: their widths by
        first column."""
        at, end = self.start, self.start + self.cell.columns
        while at < end and at in covered:
            at += covered[at]
        return at == end


def _spanning(rows: Iterable[Sequence[Cell]]) -> list[list[_Spanning]]:
    """Return the cells that begin in each row. A covered cell without a cell of its width above it begins
    there as an empty cell."""
    written: list[list[_Spanning]] = []
    above: list[_Spanning] = []
    for row in rows:
        starts = list(accumulate((cell.columns for cell in row), initial=0))
        placed = list(zip(starts, row, strict=False))
        covered = {start: cell.columns for start, cell in placed if cell.is_covered}
        continued = [each for each in above if each.continues(covered)]
        for each in continued:
            each.rows += 1
        taken = {at for each in continued for at in range(each.start, each.start + each.cell.columns)}
        begin = [_Spanning(cell, start) for start, cell in placed if start not in taken]
        written.append(begin)
        above = [*continued, *begin]
    return written


def _cell(each: _Spanning) -> str:
    return f"<td colspan={each.cell.columns} rowspan={each.rows}>{each.cell.content}</td>"
