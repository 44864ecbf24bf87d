"""Inserts in SQL that SQLite and PostgreSQL share, of many rows at once. The tables' types are kept; their
defaults are not known here, so every column that must not be null is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite

INSERTS: Final[Mapping[str, Any]] = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}
"""By dialect: the insert that may say what becomes of a row that is there."""

Row = Mapping[str, Any]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row], shared: Row) -> None:
    """Insert ``rows``, which have the same columns, each with the ``shared`` values as well."""
    _insert(connection, table, rows, shared, "")


def insert_new(connection: Connection, table: Table, rows: Sequence[Row], shared: Row) -> int:
    """Insert those of ``rows`` whose keys are not there yet; how many these were."""
    return _insert(connection, table, rows, shared, " ON CONFLICT DO NOTHING")


def _insert(connection: Connection, table: Table, rows: Sequence[Row], shared: Row, otherwise: str) -> int:
    # The driver gets tuples: SQLAlchemy takes longer for a row's parameters than the database for the row.
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
    """A statement, and what makes values into the driver's, ``None`` where they are already."""

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
