"""Inserting many rows at once, in SQL that SQLite and PostgreSQL share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Table

Row = Mapping[str, Any]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row], shared: Row) -> None:
    """Insert ``rows``, which have the same columns, each with the ``shared`` values as well.

    The table's types are kept, its defaults are not known here. The driver gets tuples, because SQLAlchemy
    takes longer for the parameters of a row than the database for the row.
    """
    if not rows:
        return
    plan = _plan(connection.dialect, table, tuple(rows[0]), tuple(shared))
    own = zip(*map(itemgetter(*rows[0]), rows), strict=True)
    columns = [map(bind, column) if bind else column for bind, column in zip(plan.own, own, strict=True)]
    values = [
        bind(value) if bind else value for bind, value in zip(plan.shared, shared.values(), strict=True)
    ]
    connection.exec_driver_sql(plan.statement, list(zip(*columns, *map(repeat, values), strict=False)))


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
