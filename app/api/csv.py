"""Rows as CSV (RFC 4180) that spreadsheets open without running formulas.

A spreadsheet that takes another sign than the comma for the separator, as Excel does in German, cuts cells at
semicolons or tabs: what begins like a formula behind one is quoted too.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

_FORMULA: Final = re.compile(r"""((?:\A|[;\t\r\n])[\s"']*+)(?=[=+@＝＋－＠-])""")
"""Before what a spreadsheet takes for a formula (OWASP, "CSV Injection"), in a cell or a part of it."""

_ITEM: Final = re.compile(r"([;\t\r\n]\s*+)-(?=\s)")
"""Before an item of a list, which gets a dash instead of a quote: people read it."""

_CONTROLS: Final = ("\t", "\r", "\n")


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The header, then a line for each row, with line ends. Lists are joined by spaces."""
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
