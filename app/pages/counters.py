"""Counters of events, each raised in the transaction in which the event happens.

The numbers belong to the installation, not to a process: they survive restarts, and count all machines.
Counting is the last step of a transaction, in the order of the names, so that no two transactions deadlock.

Changes are counted separately (:class:`ChangeCount`): by these counts processes notice that something was
changed.
"""

from bisect import bisect_left
from collections.abc import Mapping
from math import inf
from typing import Any, Final

from sqlalchemy import Connection, delete, select, tuple_

from app.pages.bulk import INSERTS
from app.pages.database import Store, reading, writing
from app.pages.tables import counters as table
from app.pages.tables import meta

ACCEPTED: Final = "accepted"
INDEXED: Final = "indexed"
FAILED: Final = "failed"
SEARCHABLE: Final = "searchable"
SEARCHABLE_SECONDS: Final = "searchable_seconds"
CHUNKS: Final = "windows"
EMBEDDING_SECONDS: Final = "embedding_seconds"
PULLS: Final = "pulls"
OUTCOMES: Final = "outcomes"
WITHOUT_MODEL: Final = "without_model"
FIRST_TEXT: Final = "first_text"
FIRST_TEXT_SECONDS: Final = "first_text_seconds"
QUESTIONS: Final = "questions"
"""Questions to a site on a day; kept for that day."""

_KEY: Final = (table.c.name, table.c.first, table.c.second)

BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, inf)
"""Upper bounds, in seconds, of the buckets of ``SEARCHABLE`` and ``FIRST_TEXT``."""

Key = tuple[str, str, str]
"""A name and up to two labels; unused labels are empty."""

Amounts = Mapping[Key, float]


def _adding(insert: Any) -> Any:
    new = insert(table)
    return new.on_conflict_do_update(index_elements=_KEY, set_={"value": table.c.value + new.excluded.value})


# Built once, because every acceptance counts and building a statement takes longer than executing it.
_ADD: Final = {name: _adding(insert) for name, insert in INSERTS.items()}


def _changing(insert: Any) -> Any:
    new = insert(meta).values(value=1)
    return new.on_conflict_do_update(index_elements=[meta.c.name], set_={"value": meta.c.value + 1})


_CHANGE: Final = {name: _changing(insert) for name, insert in INSERTS.items()}


def add(connection: Connection, amounts: Amounts) -> None:
    """Raise counters. This must be the last step of a transaction."""
    rows = [
        {"name": name, "first": first, "second": second, "value": amount}
        for (name, first, second), amount in sorted(amounts.items())
        if amount
    ]
    if rows:
        connection.execute(_ADD[connection.dialect.name], rows)


def value(connection: Connection, key: Key) -> float:
    """Return the value of one counter; 0 if it was never raised."""
    row = connection.execute(select(table.c.value).where(tuple_(*_KEY) == key)).first()
    return row.value if row else 0.0


def drop_before(connection: Connection, name: str, second: str) -> None:
    """Delete the counters of ``name`` whose second label sorts before ``second``."""
    connection.execute(delete(table).where(table.c.name == name, table.c.second < second))


def searchable(seconds: float, *, interactive: bool) -> dict[Key, float]:
    """Return the amounts for one page version that became searchable ``seconds`` after its acceptance."""
    return _observed(SEARCHABLE, SEARCHABLE_SECONDS, "interactive" if interactive else "bulk", seconds)


def first_text(seconds: float, *, by_model: bool) -> dict[Key, float]:
    """Return the amounts for one answer whose text began ``seconds`` after the question."""
    return _observed(FIRST_TEXT, FIRST_TEXT_SECONDS, "model" if by_model else "passages", seconds)


def _observed(counts: str, seconds: str, label: str, value: float) -> dict[Key, float]:
    bound = BUCKETS[bisect_left(BUCKETS, value)]
    return {(counts, label, str(bound)): 1, (seconds, label, ""): max(0.0, value)}


class Counters(Store):
    """The counters in ``engine``'s database."""

    def add(self, amounts: Amounts) -> None:
        """Raise counters in a separate transaction."""
        if amounts:
            with writing(self._engine) as connection:
                add(connection, amounts)

    def value(self, key: Key) -> float:
        """Return the value of one counter; 0 if it was never raised."""
        with reading(self._engine) as connection:
            return value(connection, key)

    def drop_before(self, name: str, second: str) -> None:
        """Delete the counters of ``name`` whose second label sorts before ``second``."""
        with writing(self._engine) as connection:
            drop_before(connection, name, second)

    def read(self) -> dict[Key, float]:
        """Every counter, sorted."""
        rows = self._rows(select(table).order_by(*_KEY))
        return {(row.name, row.first, row.second): row.value for row in rows}


class ChangeCount:
    """The number of changes to the subject called ``name``, in the table ``meta``. Raising it locks it until
    the transaction ends."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._read = select(meta.c.value).where(meta.c.name == name)

    def read(self, connection: Connection) -> int:
        """The count so far."""
        return connection.execute(self._read).scalar() or 0

    def add(self, connection: Connection) -> None:
        """Count one change. This must be the first step of a transaction."""
        connection.execute(_CHANGE[connection.dialect.name], {"name": self._name})
