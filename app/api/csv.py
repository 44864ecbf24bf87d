"""Rows as CSV (RFC 4180) that spreadsheets open without running formulas."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets take a cell that begins with one of these for a formula (OWASP, "CSV Injection")."""


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The header, then a line for each row, with line ends. Lists are joined by spaces."""
    yield _line(columns)
    for row in rows:
        yield _line([_cell(row[column]) for column in columns])


def _cell(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def _line(cells: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()
