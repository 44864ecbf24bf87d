"""The database: engine, transactions, schema number; its errors are translated here and nowhere else."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select, update
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    InternalError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry

from app.errors import DataFolderError, PageStoreUnavailableError, SettingsError
from app.pages.tables import SCHEMA, meta, metadata

BUSY_TIMEOUT_MS: Final = 30_000

Database = str | URL | Engine
"""A database URL, or an engine from :func:`open_engine`."""

_FOLDER_FAULTS: Final = {
    "SQLITE_READONLY": "make the folder writable for this user",
    "SQLITE_PERM": "make the folder writable for this user",
    "SQLITE_CANTOPEN": "check that the folder exists and is writable for this user",
    "SQLITE_FULL": "free some disk space",
    "SQLITE_IOERR": "check the disk",
    "SQLITE_NOTADB": "move the file away or choose another data folder",
    "SQLITE_CORRUPT": "restore the file from a backup",
}
"""What to do about each of SQLite's primary error codes that lie in the data folder."""


def open_engine(database: Database) -> Engine:
    """An engine with the store's tables, created where the database is empty.

    Not to be carried across ``fork``.
    Raises ``SettingsError`` (not a database URL), ``DataFolderError`` or ``PageStoreUnavailableError``.
    """
    engine = database if isinstance(database, Engine) else _create_engine(database)
    _prepare_schema(engine)
    return engine


def sqlite_url(path: Path) -> URL:
    """The URL of a SQLite file, whatever characters its path has."""
    return URL.create("sqlite", database=str(path))


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent read."""
    with _translated(engine), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One write transaction, all or nothing. SQLite's lock is taken at once: it cannot be refused later."""
    with _translated(engine), engine.connect() as connection:
        connection.execution_options(begin="BEGIN IMMEDIATE")
        with connection.begin():
            yield connection


def _create_engine(url: str | URL) -> Engine:
    try:
        engine = create_engine(url)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise SettingsError(f"database {str(url)!r} cannot be used: {error}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    # SQLAlchemy's recipe: the driver must not open transactions by itself, _begin_sqlite does.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys = ON")
    _use_wal(connection)


def _use_wal(connection: sqlite3.Connection) -> None:
    # The busy timeout does not hold where two connections change a new file's journal mode at once.
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _prepare_schema(engine: Engine) -> None:
    with reading(engine) as connection:
        schema = _schema(connection)
    if schema is None:
        with writing(engine) as connection:
            schema = _schema(connection) or _create_tables(connection)
    if schema < SCHEMA:
        with writing(engine) as connection:
            schema = _add_tables(connection)
    if schema > SCHEMA:
        raise DataFolderError(
            f"data folder: {_place(engine)} was written by a newer version "
            f"(schema {schema}, this one knows {SCHEMA}): upgrade auskunft"
        )


def _schema(connection: Connection) -> int | None:
    if not inspect(connection).has_table(meta.name):
        return None
    return connection.scalar(select(meta.c.value).where(meta.c.name == "schema"))


def _create_tables(connection: Connection) -> int:
    metadata.create_all(connection)
    connection.execute(insert(meta), [{"name": "schema", "value": SCHEMA}, {"name": "sequence", "value": 0}])
    return SCHEMA


def _add_tables(connection: Connection) -> int:
    """Make the tables that came after an older schema, once; the schema then."""
    stored = meta.c.name == "schema"
    known: int = connection.execute(select(meta.c.value).where(stored).with_for_update()).scalar_one()
    if known < SCHEMA:
        metadata.create_all(connection)
        connection.execute(update(meta).where(stored).values(value=SCHEMA))
    return max(known, SCHEMA)


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, InternalError, PoolTimeoutError) as error:
        raise _translate(engine, error) from error
    except DBAPIError as error:
        # SQLite's damaged or foreign files are plain DatabaseErrors; any other such error is a fault of ours.
        if _sqlite_fault(error) is None:
            raise
        raise _translate(engine, error) from error


def _translate(engine: Engine, error: Exception) -> DataFolderError | PageStoreUnavailableError:
    cause = str(getattr(error, "orig", None) or error).splitlines()[0]
    remedy = _sqlite_fault(error)
    if remedy is not None:
        return DataFolderError(f"data folder: {_place(engine)} cannot be used ({cause}): {remedy}")
    return PageStoreUnavailableError(f"the page store does not answer ({cause}): try again later")


def _sqlite_fault(error: Exception) -> str | None:
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", "")
    return next((remedy for code, remedy in _FOLDER_FAULTS.items() if name.startswith(code)), None)


def _place(engine: Engine) -> str:
    return engine.url.database or engine.url.render_as_string(hide_password=True)
