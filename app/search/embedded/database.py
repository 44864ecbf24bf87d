"""SQLite files: pooled connections, transactions, and the one place that translates SQLite's errors."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from os import stat_result
from os.path import samestat
from pathlib import Path
from typing import Final, Literal

from app.errors import AuskunftError, DataFolderError, IndexDamagedError, IndexUnavailableError
from app.pages.read_only import read_only_mode
from app.search.embedded import schema

BUSY_SECONDS: Final = 60.0
"""How long a transaction waits for another process's write."""

PAGE_BYTES: Final = 16_384
"""The size of a file's pages: with vectors, files are a third smaller than at 4,096 bytes and read faster."""

WAL_BYTES: Final = 64 * 1024 * 1024
"""The size of the write-ahead log's file after a checkpoint, at most."""

_FORBIDDEN: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}
_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_TRANSIENT: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


class Database:
    """An existing file, shared by threads and processes. Each transaction has a connection of its own.

    A missing file is never created here; see :func:`create`.
    """

    def __init__(self, path: Path, version: int) -> None:
        """``version``: the only version of the tables that is accepted."""
        self.path = path
        self._version = version
        self._opened = _stat(path)
        self._idle: list[tuple[stat_result, sqlite3.Connection]] = []
        self._closed = False

    def is_current(self) -> bool:
        """Return True if the file is still the one that was opened. It may have been restored meanwhile."""
        try:
            return samestat(self.path.stat(), self._opened)
        except OSError:
            return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a read transaction: one state of the file, as of the first statement."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a write transaction, one at a time; it is committed as a whole at the end, or not at all."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Close the connections; those in use are closed when their transaction ends."""
        self._closed = True
        while self._idle:
            self._idle.pop()[1].close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with translated_errors(self.path):
            file, connection = self._acquire()
            try:
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()  # which rolls back
                raise
            self._release(file, connection)

    def _acquire(self) -> tuple[stat_result, sqlite3.Connection]:
        """Return a connection to the file that is at the path now; writes to a moved file would be lost."""
        current = _stat(self.path)
        with suppress(IndexError):
            while True:
                file, connection = self._idle.pop()
                if samestat(file, current):
                    return file, connection
                connection.close()
        return current, _open(self.path, self._version)

    def _release(self, file: stat_result, connection: sqlite3.Connection) -> None:
        self._idle.append((file, connection))
        if self._closed:
            self.close()


def create(path: Path, tables: Sequence[str], *, version: int, journal: Literal["DELETE", "WAL"]) -> None:
    """Create the file with its tables, unless it already has them. Several processes may do so at once."""
    with translated_errors(path), closing(_connect(path, "rwc")) as connection:
        if _version(connection):
            return
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute(f"PRAGMA journal_mode = {journal}")
        _migrate(connection, tables, 0, version)


def upgrade(path: Path, statements: Sequence[str], *, version: int) -> None:
    """Upgrade an existing file of the previous version. Several processes may do so at once."""
    _stat(path)
    with translated_errors(path), closing(_connect(path, "rw")) as connection:
        if _version(connection) == version - 1:
            _migrate(connection, statements, version - 1, version)


def _migrate(connection: sqlite3.Connection, statements: Sequence[str], before: int, after: int) -> None:
    """Run the statements unless another process has done so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) == before:
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {after}")
    connection.execute("COMMIT")


def add_columns(path: Path, table: str, columns: Mapping[str, str], *, version: int) -> None:
    """Add the ``columns`` (name to declaration) that a table of an existing file lacks."""
    with translated_errors(path), closing(_open(path, version)) as connection:
        lacking = columns.keys() - _columns(connection, table)
        if not lacking:
            return
        connection.execute("BEGIN IMMEDIATE")
        for name in columns.keys() - _columns(connection, table):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {columns[name]}")
        connection.execute("COMMIT")


def add_table(path: Path, table: str, statement: str, *, version: int) -> None:
    """Create the table in an existing file unless it has it."""
    with translated_errors(path), closing(_open(path, version)) as connection:
        if not _columns(connection, table):
            connection.execute(statement)


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Raise ``IndexUnavailableError`` or ``DataFolderError`` for SQLite's errors about ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        translation = _translation(error, path)
        if translation is None:
            raise
        raise translation from error


def _translation(error: sqlite3.Error, path: Path) -> AuskunftError | None:
    """Return our error for a problem of the file or the disk; ``None`` for a wrong statement, which is a
    bug."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return DataFolderError("the disk of {path} is full: free some space, then try again", path=str(path))
    if code in _FORBIDDEN or (code == sqlite3.SQLITE_CANTOPEN and not os.access(path.parent, os.W_OK)):
        return DataFolderError(
            "{path} cannot be written: check the permissions of file and folder", path=str(path)
        )
    if code == sqlite3.SQLITE_CANTOPEN and (obstacle := _obstacle(path)):
        return DataFolderError(obstacle)
    if code in _DAMAGED:
        return _damaged(path)
    if code in _TRANSIENT:
        return _busy(path, str(error))
    return None


def _obstacle(path: Path) -> str:
    """Return the lasting reason why a file cannot be opened, and what to do; empty if there is none."""
    if path.is_dir():
        return f"{path} is a folder, not a file of the index: move it away and run `auskunft reindex`"
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return f"{path} may not be opened by this user: give the user the right to read and write it"
    return ""


def _stat(path: Path) -> stat_result:
    try:
        return path.stat()
    except FileNotFoundError as error:
        raise IndexDamagedError(
            "the search index lacks its file {path}: restore it, or run `auskunft reindex`", path=str(path)
        ) from error
    except OSError as error:
        raise _busy(path, error.strerror) from error


def _open(path: Path, version: int) -> sqlite3.Connection:
    _stat(path)
    connection = _connect(path, "rw")
    found = _version(connection)
    if found == version:
        return connection
    connection.close()
    if found > version:
        raise DataFolderError(
            f"{path} was made by a newer Auskunft (schema {found}, this one knows {version}): update Auskunft"
        )
    raise _damaged(path)


def _connect(path: Path, mode: Literal["rw", "rwc"]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{read_only_mode(path) or f'mode={mode}'}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # a damaged row fails alone
    connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _damaged(path: Path) -> IndexDamagedError:
    # A rebuild replaces a damaged generation, but if the catalog is damaged all its generations are lost.
    if path.name == schema.CATALOG_FILE:
        return IndexDamagedError(
            "{path} is damaged: restore it, or delete {folder} and run `auskunft reindex`",
            path=str(path),
            folder=str(path.parent),
        )
    return IndexDamagedError("{path} is damaged: restore it, or run `auskunft reindex`", path=str(path))


def _busy(path: Path, reason: str | None) -> IndexUnavailableError:
    return IndexUnavailableError(
        "{path} cannot be used now ({reason}): try again later", path=str(path), reason=reason
    )
