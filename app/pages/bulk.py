"""Many rows at once: inserts in SQL that SQLite and PostgreSQL share, and chunks below databases' variable
limits.

Inserts apply column types but not defaults, so callers must give every column that must not be null.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite

INSERTS: Final[Mapping[str, Any]] = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}
"""By dialect: the ``insert`` with support for conflicts with existing rows."""

CHUNK: Final = 500

Row = Mapping[str, Any]
T = TypeVar("T")


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split ``items`` into pieces that fit into one statement."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row], shared: Row) -> None:
    """Insert ``rows``, which all have the same columns; add the ``shared`` values to each."""
    _insert(connection, table, rows, shared, "")


def insert_new(connection: Connection, table: Table, rows: Sequence[Row], shared: Row) -> int:
    """Insert the ``rows`` whose keys do not exist yet; return their number."""
    return _insert(connection, table, rows, shared, " ON CONFLICT DO NOTHING")


def _insert(connection: Connection, table: Table, rows: Sequence[Row], shared: Row, otherwise: str) -> int:
    # The driver gets tuples, because SQLAlchemy takes longer for a row's parameters than the database for the
    # row.
    if not rows:
        return 0
    plan = _plan(connection.dialect, table, tuple(rows[0]), tuple(shared))
    own = zip(*map(itemgetter(*rows[0]), rows), strict=True)
    columns = [map(bind, column) if bind else column for bind, column in zip(plan.own, own, strict=True)]
    values = [
        bind(value) if bind else value for bind, value in zip(plan.shared, shared.values(), strict=True)
    ]
    tuples = list(zip(*columns, *map(repeat, values), strict=False))
    return connection.exec_driver_sql(plan.statement + otherwise, tuples).rowcount


@dataclass(frozen=True, slots=True)
class _Plan:
    """A statement, and functions that convert values for the driver, ``None`` if no conversion is needed."""

    statement: str
    own: Sequence[Callable[[Any], Any] | None]
    shared: Sequence[Callable[[Any], Any] | None]


@lru_cache
def _plan(dialect: Dialect, table: Table, own: tuple[str, ...], shared: tuple[str, ...]) -> _Plan:
    names = (*own, *shared)
    binds = [table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names]
    mark = "?" if dialect.paramstyle == "qmark" else "%s"
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join([mark] * len(names))})"
    return _Plan(statement=statement, own=binds[: len(own)], shared=binds[len(own) :])
