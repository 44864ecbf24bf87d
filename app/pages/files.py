"""Checks that a SQLite file is still the one that was opened.

If it is moved, removed or replaced, open connections keep a file that nobody finds again: their writes are
lost at the next restart, although they were reported as durable. The files are examined only by ``stat``,
because closing a second descriptor would release SQLite's locks on them. The size of a file that has become
shorter is compared with the size that SQLite expects, because VACUUM and checkpoints shorten files too.
"""

import sqlite3
from os import stat_result
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.pool import ConnectionPoolEntry

from app.errors import DataFolderError

_FILE: Final = "database_file"
_LOG: Final = "write_ahead_log"
_FRAME_HEADER_BYTES: Final = 24
"""Size of the header before each page in the write-ahead log."""

_SHORTENED: Final = "was shortened while it was open"

Identity = tuple[int, int]
"""Device and inode."""


class DatabaseFile:
    """The file at ``path``, shared by all connections of an engine; identified when the first one is made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._known: Identity | None = None
        self._bytes = 0
        self._log_bytes = 0

    def connect(self, *_: object) -> None:
        """Check the file before a connection is made, because that would create a missing file anew,
        empty."""
        if self._known is not None and self._bytes and not self._find().st_size:
            raise self._gone(self._path, _SHORTENED)

    def connected(self, entry: ConnectionPoolEntry) -> None:
        """Remember the file of a new connection."""
        if self._known is None:
            self._known = _identity(_look(self._path))
        entry.info[_FILE] = self
        entry.info[_LOG] = _identity(_look(self._log))

    def check(self, connection: Connection) -> None:
        """Raise ``DataFolderError`` if ``connection`` uses another file, or another write-ahead log, than a
        restart would find. Call it only outside of transactions."""
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._check_file(driver)
        self._check_log(driver, connection.info)

    def _check_file(self, driver: sqlite3.Connection) -> None:
        least = self._bytes  # before looking: another thread may note a longer file meanwhile
        size = self._find().st_size
        if size < least and not _has_all_pages(driver, size):
            raise self._gone(self._path, _SHORTENED)
        self._bytes = size

    def _check_log(self, driver: sqlite3.Connection, info: dict[Any, Any]) -> None:
        least = self._log_bytes
        found = _look(self._log)
        known = info.get(_LOG) or _identity(found)  # a new file has none before its first transaction
        info[_LOG] = known
        if _identity(found) != known:
            raise self._gone(self._log, "was removed or replaced while it was open")
        size = found.st_size if found else 0
        if size < least and not _has_all_frames(driver, self._log):
            raise self._gone(self._log, _SHORTENED)
        self._log_bytes = size

    def _find(self) -> stat_result:
        """Stat the file that was opened. Raises ``DataFolderError`` if it is missing or another one."""
        try:
            found = self._path.stat()
        except OSError as error:
            raise self._gone(self._path, f"no longer exists ({error.strerror})") from error
        if _identity(found) != self._known:
            raise self._gone(self._path, "is not the file that was opened")
        return found

    def _gone(self, path: Path, what: str) -> DataFolderError:
        return DataFolderError(
            f"data folder: {path} {what}, so nothing is read or written: put the original file back, or "
            "restart Auskunft to use the present one"
        )


def check_file(connection: Connection) -> None:
    """Call :meth:`DatabaseFile.check` if the database is a file."""
    file = connection.info.get(_FILE)
    if isinstance(file, DatabaseFile):
        file.check(connection)


def _look(path: Path) -> stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _identity(found: stat_result | None) -> Identity | None:
    return (found.st_dev, found.st_ino) if found else None


def _has_all_pages(driver: sqlite3.Connection, size: int) -> bool:
    """Return True if a file of this ``size`` is as long as SQLite expects, as after a VACUUM."""
    try:
        return size > 0 and size >= _ask(driver, "page_count")[0] * _ask(driver, "page_size")[0]
    except sqlite3.Error:
        return False


def _has_all_frames(driver: sqlite3.Connection, log: Path) -> bool:
    """Return True if the frames that SQLite expects in the ``log`` fit into it, as after a checkpoint that
    emptied it. Only a checkpoint returns their number, and it fails if it cannot read them."""
    try:
        _, frames, _ = _ask(driver, "wal_checkpoint(PASSIVE)")
        needed = frames * (_ask(driver, "page_size")[0] + _FRAME_HEADER_BYTES)
    except sqlite3.Error:
        return False
    found = _look(log)  # after asking: it may grow meanwhile
    return needed <= (found.st_size if found else 0)


def _ask(driver: sqlite3.Connection, pragma: str) -> tuple[int, ...]:
    row: tuple[int, ...] = driver.execute(f"PRAGMA {pragma}").fetchone()
    return row
