"""Tables of pages as cells without markup. Pure functions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.features.facts import signs
from app.features.facts.doubts import plain
from app.search.matching_rows import cells

MOST_COLUMNS: Final = 60

Cells = tuple[str, ...]

_FOOTNOTE: Final = re.compile(r"(?<=[^\W\d_]{3})\s?[¹²³⁴⁵⁶⁷⁸⁹]+")
"""The mark of a footnote after a word, as opposed to a unit such as m²."""


@dataclass(frozen=True, slots=True)
class PipeTable:
    """A table with its ``header`` and its ``rows``, all with the same number of cells."""

    header: Cells
    rows: tuple[Cells, ...]


def read_cells(lines: Sequence[str]) -> list[Cells]:
    """Return the cells of each line that is a row of a table."""
    rows = [line.strip() for line in lines if "|" in line and not signs.DELIMITERS.match(line)]
    return [tuple(plain(_FOOTNOTE.sub("", cell)) for cell in cells(row)) for row in rows]


def read_table(markdown: str) -> PipeTable | None:
    """Return the table that ``markdown`` is, or ``None`` if it has no header or rows, rows of different
    lengths, or more than :data:`MOST_COLUMNS` columns."""
    lines = markdown.splitlines()
    if lines and lines[0].count("|") > MOST_COLUMNS:
        return None
    found = read_cells(lines)
    if len(found) < 2 or len({len(row) for row in found}) != 1:
        return None
    return PipeTable(found[0], tuple(found[1:]))
