"""Distinguishes tables that only lay out a list from real ones, and writes these as Markdown."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, TypeAlias

from lxml import etree

from ingest.law.blocks import classes_of
from ingest.law.inline import SKIPPED, inline

Cell: TypeAlias = etree._Element

_LONGEST_MARKER: Final = 40
_MOST_COLUMNS: Final = 200
"""A wider table or span is a mistake, and must not fill the memory."""

_FEW_TEXTS: Final = 20
_SPEAKS: Final = etree.XPath("boolean(normalize-space(.))")
"""Skips many empty paragraphs fast, because each table around them looks through them again."""

_SECTIONS: Final = frozenset({"thead", "tbody", "tfoot"})
_TABLE_PARTS: Final = frozenset({"tr", "td", "th", *_SECTIONS})
_CHROME: Final = frozenset({"hd-date", "hd-lg", "hd-ti", "hd-oj", "hd-coll", "hd-uniq"})


def rows_of(table: etree._Element) -> list[list[Cell]]:
    """Return the cells of each row of this table, not of tables inside it.

    A caption, and anything between rows, is a row of its own; anything between cells is a cell.
    """
    return list(_rows(table))


def page_headers(root: etree._Element) -> set[etree._Element]:
    """Return the tables that are page heads of the Official Journal."""
    headers: set[etree._Element] = set()
    for paragraph in root.iter("p"):
        if not _CHROME.isdisjoint(classes_of(paragraph.get("class"))):
            headers.update(islice(paragraph.iterancestors("table"), 1))
    return headers


def is_layout(table: etree._Element, rows: list[list[Cell]]) -> bool:
    """Return True if the table only places text: each row has at most one cell with text, or a short marker
    and its text."""
    if _is_ruled(table):
        return False
    return all(_is_layout_row([cell for cell in row if has_text(cell)]) for row in rows)


def has_text(cell: Cell) -> bool:
    """Return True if the cell has text or a picture."""
    texts = cell.itertext()
    if any(text.strip() for text in islice(texts, _FEW_TEXTS)):
        return True
    return (next(texts, None) is not None and bool(_SPEAKS(cell))) or next(cell.iter("img"), None) is not None


def markdown(rows: list[list[Cell]]) -> str:
    """Return the rows as a pipe table, the first as its header; rows of one cell before and after it as text.

    A cell that spans rows or columns is written only in the first one.
    """
    first = next((index for index, row in enumerate(rows) if len(row) > 1), len(rows))
    last = next((index for index in range(len(rows), first, -1) if len(rows[index - 1]) > 1), first)
    before = [inline(cell) for row in rows[:first] for cell in row]
    after = [inline(cell) for row in rows[last:] for cell in row]
    grid = [row for row in _grid(rows[first:last]) if any(row)]
    return "\n\n".join(text for text in [*before, _pipes(grid) if grid else "", *after] if text)


def _rows(table: etree._Element) -> Iterator[list[Cell]]:
    for part in _parts(table):
        for row in _parts(part) if part.tag in _SECTIONS else (part,):
            yield list(_parts(row)) if row.tag == "tr" else [row]


def _parts(node: etree._Element) -> Iterator[etree._Element]:
    """Yield the rows or cells directly in ``node``, and other elements with text; loose text as cells."""
    yield from _loose(node.text)
    for child in node:
        if child.tag in _TABLE_PARTS or (child.tag not in SKIPPED and has_text(child)):
            yield child
        yield from _loose(child.tail)


def _loose(text: str | None) -> Iterator[Cell]:
    if text and text.strip():
        cell = etree.Element("td")
        cell.text = text
        yield cell


def _is_ruled(table: etree._Element) -> bool:
    border = (table.get("border") or "0").strip()
    return "table" in classes_of(table.get("class")) or border not in ("0", "")


def _is_layout_row(cells: list[Cell]) -> bool:
    if len(cells) < 2:
        return True
    return len(cells) == 2 and _is_short(cells[0])


def _is_short(cell: Cell) -> bool:
    words: list[str] = []
    for text in cell.itertext():
        words += text.split()
        if sum(map(len, words)) > _LONGEST_MARKER:
            return False
    return len(" ".join(words)) <= _LONGEST_MARKER


def _grid(rows: list[list[Cell]]) -> list[list[str]]:
    """Return the cells' texts by column; columns covered by a cell above are empty."""
    grid: list[list[str]] = []
    reserved: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        for cell in row[:_MOST_COLUMNS]:
            _skip(line, reserved)
            width = min(_span(cell, "colspan"), max(_MOST_COLUMNS - len(line), 1))
            height = _span(cell, "rowspan")
            for column in range(len(line), len(line) + width):
                if height > 1:
                    reserved[column] = height
            line += [inline(cell).replace("|", "\\|")] + [""] * (width - 1)
        _skip(line, reserved)
        reserved = {column: left - 1 for column, left in reserved.items() if left > 1}
        grid.append(_with_rest(line, [inline(cell).replace("|", "\\|") for cell in row[_MOST_COLUMNS:]]))
    return grid


def _with_rest(line: list[str], rest: list[str]) -> list[str]:
    """Return the row with at most the allowed columns, everything beyond them joined in the last one."""
    kept, over = line[: _MOST_COLUMNS - 1], [*line[_MOST_COLUMNS - 1 :], *rest]
    return [*kept, " ".join(filter(None, over))] if over else kept


def _skip(line: list[str], reserved: dict[int, int]) -> None:
    while reserved.get(len(line), 0) and len(line) < _MOST_COLUMNS:
        line.append("")


def _span(cell: Cell, name: str) -> int:
    value = re.match(r"\s*(\d{1,4})", cell.get(name) or "")
    return min(max(int(value[1]), 1), _MOST_COLUMNS) if value else 1


def _pipes(grid: list[list[str]]) -> str:
    width = max(len(row) for row in grid)
    used = [column for column in range(width) if any(column < len(row) and row[column] for row in grid)]
    lines = [
        "| " + " | ".join(row[column] if column < len(row) else "" for column in used) + " |" for row in grid
    ]
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]])
