"""Rows as CSV (RFC 4180) that spreadsheets open without running formulas.

A spreadsheet with another separator than the comma, such as German Excel, splits cells at semicolons or tabs.
So text that looks like a formula is escaped after these, too.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

_FORMULA: Final = re.compile(r"""((?:\A|[;\t\r\n])[\s"']*+)(?=[=+@＝＋－＠-])""")
"""The text before a formula (OWASP, "CSV Injection"), at the start of a cell or after a separator within."""

_ITEM: Final = re.compile(r"([;\t\r\n]\s*+)-(?=\s)")
"""The hyphen before an item of a list: it becomes a dash, because a quote would look odd there."""

_CONTROLS: Final = ("\t", "\r", "\n")


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the header, then a line for each row, with line ends. Lists are joined by spaces."""
    yield _line(columns)
    for row in rows:
        yield _line([_cell(row[column]) for column in columns])


def _cell(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    quoted = _FORMULA.sub(r"\1'", _ITEM.sub(r"\1–", text))
    return f"'{quoted}" if quoted.startswith(_CONTROLS) else quoted


def _line(cells: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()
