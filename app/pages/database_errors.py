"""Translates the drivers' errors, once, into one line that says what to do."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.errors import (
    AuskunftError,
    DataFolderError,
    InputError,
    PageStoreUnavailableError,
    UnwritableError,
)

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
"""What to do about each of SQLite's error codes that are about the data folder, longer names first."""

_FULL: Final = ("SQLITE_IOERR", "SQLITE_CANTOPEN")
"""What SQLite also says of a full disk, where it cannot make the files beside the database."""

_ROOM_BYTES: Final = 65_536
"""What those files need at least."""

_SERVER_FAULTS: Final = {
    "25006": "connect to the primary server, not to a standby",
    "42501": "let this user own the tables and the schema",
    "42P01": "run `auskunft migrate`",
    "53100": "free some disk space on its machine",
    "53200": "give it more memory",
    "53300": "raise its max_connections or run fewer processes",
    "58": "look into the server's log",
    "XX": "look into the server's log",
}
"""What to do about PostgreSQL's error codes, or classes of them (two characters), that are about the
server."""

_UNWRITABLE: Final = (
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "25006",
    "53100",
    "58",
)
"""The codes of both that say that nothing can be written; reading may still work."""

_NO_INTEGER: Final = "too large to convert to SQLite INTEGER"
_OUT_OF_RANGE: Final = "22003"
_TOO_LARGE: Final = "a number is larger than any that is stored: give one that a list shows"


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Raise ``DataFolderError``, ``UnwritableError`` or ``PageStoreUnavailableError`` for errors that are not
    bugs of ours, and ``InputError`` for a number that no column holds."""
    try:
        yield
    except OverflowError as error:  # of SQLite's driver; it has no class of its own
        if _NO_INTEGER not in str(error):
            raise
        raise InputError(_TOO_LARGE) from error
    except (OperationalError, InterfaceError, InternalError, PoolTimeoutError) as error:
        raise _translate(engine, error) from error
    except DBAPIError as error:
        if _code(error) == _OUT_OF_RANGE:
            raise InputError(_TOO_LARGE) from error
        # SQLite's damaged or foreign files are plain DatabaseErrors, PostgreSQL's missing rights and tables
        # ProgrammingErrors; any other such error is a bug of ours.
        if not _sqlite_remedy(error) and not _server_remedy(error) and not _connection_remedy(error):
            raise
        raise _translate(engine, error) from error


def location(engine: Engine) -> str:
    """The database in words, without its password."""
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
    """SQLite's or PostgreSQL's own; empty if there is none."""
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
    """For a connection to a server that could not be made: there is no statement yet."""
    if (
        not isinstance(error, DBAPIError)
        or error.statement is not None
        or isinstance(error.orig, sqlite3.Error)
    ):
        return None
    return "check that PostgreSQL runs and that AUSKUNFT_DATABASE_URL is right"
