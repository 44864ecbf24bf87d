"""Is a SQLite file still the one that was opened?

Whoever moves, removes or replaces it leaves open connections behind with a file that nobody finds again: what
they write is lost with the next restart, although they are told that it is durable. Only ``stat`` looks at
the files here: closing a second descriptor of one would release the locks that SQLite has on it.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.pool import ConnectionPoolEntry

from app.errors import DataFolderError

_FILE: Final = "database_file"
_LOG: Final = "write_ahead_log"

Identity = tuple[int, int]
"""Device and inode."""


class DatabaseFile:
    """The file at ``path``, shared by all connections of an engine. The first one tells which it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._known: Identity | None = None
        self._bytes = 0

    def connect(self, *_: object) -> None:
        """Before a connection is made: it would make a file that is missing anew, and empty."""
        if self._known is not None:
            self._check_file()

    def connected(self, entry: ConnectionPoolEntry) -> None:
        """Once a connection is made, and the file, if there was none."""
        if self._known is None:
            self._known = _identity(self._path)
        entry.info[_FILE] = self
        entry.info[_LOG] = _identity(self._log)

    def check(self, connection: Connection) -> None:
        """Raises ``DataFolderError`` where ``connection`` has another file, or another write-ahead log, than
        the one that a restart would find."""
        self._check_file()
        log = _identity(self._log)
        known = connection.info.get(_LOG) or log  # a new file has none before its first transaction
        connection.info[_LOG] = known
        if log != known:
            raise self._gone(self._log, "was removed or replaced while it was open")

    def _check_file(self) -> None:
        least = self._bytes  # before looking: another thread may note a longer file meanwhile
        try:
            found = self._path.stat()
        except OSError as error:
            raise self._gone(self._path, f"is not there any more ({error.strerror})") from error
        if (found.st_dev, found.st_ino) != self._known:
            raise self._gone(self._path, "is another file than the one that was opened")
        if found.st_size < least:
            raise self._gone(self._path, "was shortened while it was open")
        self._bytes = found.st_size

    def _gone(self, path: Path, what: str) -> DataFolderError:
        return DataFolderError(
            f"data folder: {path} {what}, so nothing is read or written: put the file back that was there, "
            "or restart Auskunft to use what is there now"
        )


def check_file(connection: Connection) -> None:
    """See :meth:`DatabaseFile.check`; nothing for a database that is no file."""
    file = connection.info.get(_FILE)
    if isinstance(file, DatabaseFile):
        file.check(connection)


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
