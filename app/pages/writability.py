"""Checks that data can be written, by writing some.

Free space does not account for quotas, reserved blocks, database servers, or file systems that an error made
read-only.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from errno import EACCES, EDQUOT, EIO, ENOSPC
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from threading import Lock
from typing import Final

from sqlalchemy import Engine

from app.errors import AuskunftError, UnwritableError
from app.pages import counters
from app.pages.database import writing

PROBE_BYTES: Final = 1024 * 1024
"""The size that a message of a CMS may have; a few bytes might still fit into space that files have
allocated."""

KEEP_SECONDS: Final = 10
"""Time for which a result is reused, because the readiness of a server may be requested often."""


@dataclass(eq=False)
class DiskCheck:
    """Checks that the data folder and the database can be written. One thread at a time checks; all threads
    use the result for ``seconds``."""

    folder: Path
    engine: Callable[[], Engine]
    seconds: float = KEEP_SECONDS
    clock: Callable[[], float] = time.monotonic
    _lock: Lock = field(default_factory=Lock, init=False)
    _until: float | None = field(default=None, init=False)
    _error: AuskunftError | None = field(default=None, init=False)

    def check(self) -> None:
        """Raise what :func:`check_folder`, :func:`check_database` and opening the database raise."""
        with self._lock:
            if self._until is None or self.clock() >= self._until:
                self._error = self._look()
                self._until = self.clock() + self.seconds
            error = self._error
        if error is not None:
            raise error.with_traceback(None)

    def _look(self) -> AuskunftError | None:
        try:
            check_folder(self.folder)
            check_database(self.engine())
        except AuskunftError as error:
            return error
        return None


def check_folder(folder: Path) -> None:
    """Write a temporary file. Raises ``UnwritableError``."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(folder, error) from error


def check_database(engine: Engine) -> None:
    """Write a row and roll it back. For SQLite only check the permission of the file, because it writes
    nothing before a commit. Raises ``UnwritableError`` and ``PageStoreUnavailableError``."""
    if engine.dialect.name != "sqlite":
        with writing(engine) as connection, connection.begin_nested() as probe:
            counters.add(connection, {("probe", token_hex(8), ""): 1})
            probe.rollback()
    elif not os.access(engine.url.database or "", os.W_OK):
        raise _unwritable(engine.url.database, PermissionError(EACCES, os.strerror(EACCES)))


def remedy(error: OSError) -> str:
    """Return advice on a file that cannot be written."""
    if error.errno in (ENOSPC, EDQUOT):
        return "free some disk space"
    if error.errno == EIO:
        return "check the disk"
    return "make it writable for this user"


def _unwritable(location: Path | str | None, error: OSError) -> UnwritableError:
    return UnwritableError(f"{location} cannot be written ({error.strerror}): {remedy(error)}")
