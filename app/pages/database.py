"""The database: engine, transactions, migration, and the translation of drivers' errors into one line that
says what to do."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, Row, Select, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry

from app.errors import (
    AuskunftError,
    DataFolderError,
    InputError,
    PageStoreUnavailableError,
    SettingsError,
    UnwritableError,
)
from app.pages import schema
from app.pages.files import DatabaseFile, check_file
from app.pages.read_only import read_only_mode

BUSY_TIMEOUT_MS: Final = 30_000

_NO_URL: Final = "the database's URL cannot be used: use postgresql://user@host/name"
_CONNECTION: Final = {"application_name": "auskunft", "connect_timeout": "10", "tcp_user_timeout": "30000"}
"""libpq's parameters, unless the URL sets them: they make sure that a vanished server is noticed."""

_POOL: Final = {"pool_size": 8, "max_overflow": 24, "pool_pre_ping": True}
"""Enough for the web server's 64 threads, because transactions wait for nothing but the database. Pinging
hides a restart of the database server."""

_SESSION: Final = f"""
    SET TIME ZONE 'UTC';
    SET lock_timeout = {BUSY_TIMEOUT_MS};
    SET statement_timeout = {2 * BUSY_TIMEOUT_MS};
    SET idle_in_transaction_session_timeout = {2 * BUSY_TIMEOUT_MS}
"""
_MIGRATION_LOCK: Final = 0x61756B75
"""An arbitrary number for the advisory lock, which no other program is expected to use."""

_FOLDER_FAULTS: Final = {
    "SQLITE_READONLY": "make the folder writable for this user",
    "SQLITE_PERM": "make the folder writable for this user",
    "SQLITE_CANTOPEN": "check that the folder exists and is writable for this user",
    "SQLITE_FULL": "free some disk space",
    "SQLITE_IOERR_SHM": "free some disk space, or check the disk",
    "SQLITE_IOERR_WRITE": "free some disk space, or check the disk",
    "SQLITE_IOERR": "check the disk",
    "SQLITE_NOTADB": "move the file away or choose another data folder",
    "SQLITE_CORRUPT": "restore the file from a backup",
}
"""Remedies for SQLite's error codes that concern the data folder, longer names first."""

_FULL: Final = ("SQLITE_IOERR", "SQLITE_CANTOPEN")
"""SQLite's error codes if a full disk keeps it from making the files beside the database."""

_ROOM_BYTES: Final = 65_536
"""Minimum space for the files beside the database."""

_SERVER_FAULTS: Final = {
    "25006": "connect to the primary server, not to a standby",
    "42501": "let this user own the tables and the schema",
    "42P01": "run `auskunft migrate`",
    "53100": "free some disk space on its machine",
    "53200": "give it more memory",
    "53300": "raise its max_connections or run fewer processes",
    "58": "check the server's log",
    "XX": "check the server's log",
}
"""Remedies for PostgreSQL's error codes, or classes of codes (two characters), that concern the server."""

_UNWRITABLE: Final = (
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "25006",
    "53100",
    "58",
)
"""Error codes of both databases that mean that nothing can be written; reading may still work."""

_NO_INTEGER: Final = "too large to convert to SQLite INTEGER"
_OUT_OF_RANGE: Final = "22003"
_TOO_LARGE: Final = "a number is larger than any stored one: use one from a list"


def open_engine(database: str | URL) -> Engine:
    """Open an engine for a database with the present schema. A SQLite file is made or migrated if necessary.

    Do not use it across ``fork``.
    Raises ``SettingsError`` (not a database URL, no driver), ``DataFolderError`` or
    ``PageStoreUnavailableError``, also if a server's database has another schema.
    """
    engine = connect(database)
    try:
        _prepare_schema(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def connect(database: str | URL) -> Engine:
    """Make an engine for a database of any schema, without opening it. Raises ``SettingsError``."""
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise SettingsError(_NO_URL) from None
    match url.drivername:
        case "sqlite":
            return _sqlite_engine(url)
        case "postgresql" | "postgresql+psycopg":
            return _postgresql_engine(url)
    raise SettingsError(_NO_URL)


def migrate_schema(engine: Engine) -> str | None:
    """Bring a database to the present schema. Return the revision that it had, or ``None`` if it was empty.

    Safe to call from several processes at once. For a schema of a later version, raises what
    :func:`open_engine` raises.
    """
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        found = schema.revision(connection)
        _refuse_later(engine, found)
        if found is None:
            schema.create(connection)
        elif found != schema.HEAD:
            schema.upgrade(connection)
    return found


def sqlite_url(path: Path) -> URL:
    """Return the URL of a SQLite file; its path may have any characters."""
    return URL.create("sqlite", database=str(path))


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction for one consistent read."""
    with translated(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open one write transaction, all or nothing. SQLite's lock is taken at once, so it is not refused later.

    In PostgreSQL each statement sees what was committed before it started. There a transaction that writes
    several pages first locks the sequence counter or skips locked rows, so that no two wait for each other.
    """
    with translated(engine), engine.connect() as connection:
        connection.execution_options(begin="BEGIN IMMEDIATE")
        with connection.begin():
            yield connection
        check_file(connection)  # a commit to a file that has gone is lost


def utc_now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


class Store:
    """Rows kept in ``engine``'s database. ``clock``: returns the time, with its zone."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime] = utc_now) -> None:
        self._engine = engine
        self._clock = clock

    def _rows(self, query: Select[Any]) -> Sequence[Row[*tuple[Any, ...]]]:
        """Return the rows of a query, in a transaction of its own."""
        with reading(self._engine) as connection:
            return connection.execute(query).all()

    def _row(self, query: Select[Any]) -> Row[*tuple[Any, ...]] | None:
        """Return the first row of a query or None, in a transaction of its own."""
        with reading(self._engine) as connection:
            return connection.execute(query).first()


def _prepare_schema(engine: Engine) -> None:
    with reading(engine) as connection:
        found = schema.revision(connection)
    _refuse_later(engine, found)
    if found == schema.HEAD:
        return
    if engine.dialect.name != "sqlite":
        state = "is empty" if found is None else f"has the schema of an earlier version ({found})"
        raise PageStoreUnavailableError(f"the database {location(engine)} {state}: run `auskunft migrate`")
    migrate_schema(engine)


def _refuse_later(engine: Engine, found: str | None) -> None:
    if found is None or found <= schema.HEAD:
        return
    kind = DataFolderError if engine.dialect.name == "sqlite" else PageStoreUnavailableError
    what = "data folder:" if engine.dialect.name == "sqlite" else "the database"
    raise kind(
        f"{what} {location(engine)} was written by a newer version "
        f"(schema {found}, this one knows {schema.HEAD}): update Auskunft"
    )


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url)
    path = Path(url.database or "")
    file = DatabaseFile(path)
    event.listen(engine, "do_connect", file.connect)
    event.listen(engine, "do_connect", partial(_open_read_only, path))
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "connect", lambda _, entry: file.connected(entry))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _open_read_only(
    path: Path, _dialect: Any, _record: Any, arguments: list[Any], options: dict[str, Any]
) -> None:
    if mode := read_only_mode(path):
        arguments[0] = f"{path.absolute().as_uri()}?{mode}"
        options["uri"] = True


def _postgresql_engine(url: URL) -> Engine:
    options = {name: value for name, value in _CONNECTION.items() if name not in url.query}
    url = url.set(drivername="postgresql+psycopg").update_query_dict(options)
    try:
        engine = create_engine(url, **_POOL)
    except ImportError as error:
        raise SettingsError(
            "PostgreSQL's driver is not installed: pip install 'auskunft[postgres]'"
        ) from error
    event.listen(engine, "connect", _configure_postgresql)
    return engine


def _configure_postgresql(connection: Any, _: ConnectionPoolEntry) -> None:
    connection.autocommit = True
    connection.execute(_SESSION)
    connection.autocommit = False


def _configure_sqlite(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    # SQLAlchemy's recipe: the driver must not open transactions by itself, _begin_sqlite does.
    connection.isolation_level = None
    connection.text_factory = _text
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys = ON")
    _use_wal(connection)


def _text(stored: bytes) -> str:
    """Replace invalid UTF-8, so that one damaged row does not keep the others from being read."""
    return stored.decode("utf-8", "replace")


def _use_wal(connection: sqlite3.Connection) -> None:
    # The busy timeout does not apply when two connections change a new file's journal mode at once.
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
    check_file(connection)
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Raise ``DataFolderError``, ``UnwritableError`` or ``PageStoreUnavailableError`` for errors that are not
    bugs of ours, and ``InputError`` for a number too large for a column."""
    try:
        yield
    except OverflowError as error:  # SQLite's driver has no error class of its own for this
        if _NO_INTEGER not in str(error):
            raise
        raise InputError(_TOO_LARGE) from error
    except (OperationalError, InterfaceError, InternalError, PoolTimeoutError) as error:
        raise _translate(engine, error) from error
    except DBAPIError as error:
        if _code(error) == _OUT_OF_RANGE:
            raise InputError(_TOO_LARGE) from error
        # Damaged or foreign files of SQLite raise plain DatabaseErrors, missing rights and tables of
        # PostgreSQL ProgrammingErrors. Any other such error is a bug of ours.
        if not _sqlite_remedy(error) and not _server_remedy(error) and not _connection_remedy(error):
            raise
        raise _translate(engine, error) from error


def location(engine: Engine) -> str:
    """Return the database's path or URL, without its password."""
    if engine.dialect.name == "sqlite":
        return str(engine.url.database)
    return engine.url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def _translate(engine: Engine, error: Exception) -> AuskunftError:
    cause = str(getattr(error, "orig", None) or error).splitlines()[0]
    is_unwritable = _code(error).startswith(_UNWRITABLE)
    remedy = _sqlite_remedy(error)
    if remedy is not None:
        if _code(error).startswith(_FULL) and _is_full(engine):
            is_unwritable, remedy = True, _FOLDER_FAULTS["SQLITE_FULL"]
        kind = UnwritableError if is_unwritable else DataFolderError
        return kind(f"data folder: {location(engine)} cannot be used ({cause}): {remedy}")
    remedy = _server_remedy(error) or _connection_remedy(error) or "try again later"
    if is_unwritable:
        return UnwritableError(
            "the page store cannot be written ({cause}): {remedy}", cause=cause, remedy=remedy
        )
    return PageStoreUnavailableError(
        "the page store does not answer ({cause}): {remedy}", cause=cause, remedy=remedy
    )


def _code(error: Exception) -> str:
    """SQLite's or PostgreSQL's own error code, or empty if there is none."""
    cause = getattr(error, "orig", None)
    return getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""


def _sqlite_remedy(error: Exception) -> str | None:
    return next((remedy for code, remedy in _FOLDER_FAULTS.items() if _code(error).startswith(code)), None)


def _is_full(engine: Engine) -> bool:
    try:
        found = os.statvfs(Path(location(engine)).parent)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < _ROOM_BYTES


def _server_remedy(error: Exception) -> str | None:
    return next((remedy for code, remedy in _SERVER_FAULTS.items() if _code(error).startswith(code)), None)


def _connection_remedy(error: Exception) -> str | None:
    """Return the remedy if the connection to a server failed, which is an error without a statement."""
    if not isinstance(error, DBAPIError) or error.statement or isinstance(error.orig, sqlite3.Error):
        return None
    return "check that PostgreSQL runs and that AUSKUNFT_DATABASE_URL is right"
