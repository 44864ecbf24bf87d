"""Narrows a search by declared fields, whose values are kept in memory for all pages of a generation."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import date
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search.embedded.scope import Documents, Mask, Numbers
from app.search.fields import FieldTypes
from app.search.filters import Filter, Filters, KeywordFilter

_CHANGES: Final = "SELECT coalesce(max(number), 0) FROM changes"
_VALUES: Final = """
    SELECT documents.number, stored
    FROM changes JOIN documents ON documents.number = changes.document
    LEFT JOIN page_values
    ON page_values.document = documents.number AND page_values.sequence = documents.sequence
    WHERE changes.number > ?"""

Figures = npt.NDArray[np.float64]
Stored = Mapping[int, Mapping[str, object]]
"""The values of pages by document number, as parsed JSON; empty for a removed page."""


class ValueMemory:
    """The values of every page, as of the last refresh; loaded for the first filter. Not thread-safe."""

    def __init__(self, fields: FieldTypes) -> None:
        self._last_change = 0
        self._keywords = {name: _Keywords() for name, kind in fields.items() if kind == "keyword"}
        self._figures = {name: _Figures() for name, kind in fields.items() if kind != "keyword"}

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Load the state of ``connection``'s transaction, which must not be older than the last one."""
        rows = connection.execute(_VALUES, (self._last_change,))
        changed = {number: json.loads(stored or "{}") for number, stored in rows}
        if changed:
            for name, keywords in self._keywords.items():
                keywords.replace(name, changed)
            for name, figures in self._figures.items():
                figures.replace(name, changed)
        self._last_change = connection.execute(_CHANGES).fetchone()[0]

    def passing(self, filters: Filters, length: int) -> Mask:
        """Return a mask, by document number below ``length``, of the pages that pass all filters. The fields
        of the filters must be known."""
        inside = np.ones(length, np.bool_)
        for each in filters:
            inside &= self._passing(each, length)
        return inside

    def _passing(self, asked: Filter, length: int) -> Mask:
        if isinstance(asked, KeywordFilter):
            return self._keywords[asked.field].having(asked.values, length)
        return self._figures[asked.field].between(_bound(asked.start), _bound(asked.end), length)


class _Keywords:
    """Pairs of a page and a value's number, in two arrays; a page may have several values."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._documents: Documents = np.zeros(0, np.int64)
        self._values: Numbers = np.zeros(0, np.int32)

    def replace(self, name: str, changed: Stored) -> None:
        pairs = [
            (document, self._numbers.setdefault(value, len(self._numbers)))
            for document, stored in changed.items()
            for value in stored.get(name, ())  # type: ignore[attr-defined] # a list
        ]
        kept = ~np.isin(self._documents, list(changed))
        documents, values = zip(*pairs, strict=True) if pairs else ((), ())
        self._documents = np.concatenate((self._documents[kept], np.array(documents, np.int64)))
        self._values = np.concatenate((self._values[kept], np.array(values, np.int32)))

    def having(self, wanted: tuple[str, ...], length: int) -> Mask:
        numbers = [self._numbers[value] for value in wanted if value in self._numbers]
        inside: Mask = np.zeros(length, np.bool_)
        inside[self._documents[np.isin(self._values, numbers)]] = True
        return inside


class _Figures:
    """A number for each page, a date as its ordinal; NaN for a page without a value."""

    def __init__(self) -> None:
        self._of: Figures = np.zeros(0, np.float64)

    def replace(self, name: str, changed: Stored) -> None:
        missing = max(changed) + 1 - len(self._of)
        if missing > 0:
            self._of = np.concatenate((self._of, np.full(max(missing, len(self._of)), np.nan)))
        for document, stored in changed.items():
            self._of[document] = _figure(stored.get(name))

    def between(self, start: float | None, end: float | None, length: int) -> Mask:
        inside: Mask = np.zeros(length, np.bool_)
        figures = self._of[:length]
        first = -np.inf if start is None else start
        last = np.inf if end is None else end
        inside[: len(figures)] = (figures >= first) & (figures <= last)
        return inside


def _figure(value: object) -> float:
    if isinstance(value, str):
        return float(date.fromisoformat(value).toordinal())
    return float(value) if isinstance(value, int | float) else np.nan


def _bound(end: float | date | None) -> float | None:
    return float(end.toordinal()) if isinstance(end, date) else end
