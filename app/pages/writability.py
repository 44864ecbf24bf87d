"""Can anything be written? Asked by writing: free space tells nothing of quotas, reserved blocks and servers,
nor of file systems that an error has made read-only; what was refused last tells nothing of now."""

import os
import time
from collections.abc import Callable
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
"""As much as a message of a CMS may need; a few bytes may find room within the files for long."""

KEEP_SECONDS: Final = 10
"""Anybody may ask as often as they like, so the disk is not asked each time."""


class DiskCheck:
    """Can the data folder and the database be written? Asked by one thread at a time; all others, and those
    who come within ``seconds``, get the same answer."""

    def __init__(
        self,
        folder: Path,
        engine: Callable[[], Engine],
        *,
        seconds: float = KEEP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._engine = engine
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._until: float | None = None
        self._error: AuskunftError | None = None

    def check(self) -> None:
        """Raises what :func:`check_folder`, :func:`check_database` and opening the database raise."""
        with self._lock:
            if self._until is None or self._clock() >= self._until:
                self._error = self._look()
                self._until = self._clock() + self._seconds
            error = self._error
        if error is not None:
            raise error.with_traceback(None)

    def _look(self) -> AuskunftError | None:
        try:
            check_folder(self._folder)
            check_database(self._engine())
        except AuskunftError as error:
            return error
        return None


def check_folder(folder: Path) -> None:
    """Write a file that nobody sees, and delete it. Raises ``UnwritableError``."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(folder, error) from error


def check_database(engine: Engine) -> None:
    """Write a row that nobody sees, and roll it back. SQLite writes nothing before it commits: there only the
    right to the file is looked at. Raises ``UnwritableError`` and ``PageStoreUnavailableError``."""
    if engine.dialect.name != "sqlite":
        with writing(engine) as connection, connection.begin_nested() as probe:
            counters.add(connection, {("probe", token_hex(8), ""): 1})
            probe.rollback()
    elif not os.access(engine.url.database or "", os.W_OK):
        raise _unwritable(engine.url.database, PermissionError(EACCES, os.strerror(EACCES)))


def remedy(error: OSError) -> str:
    """What helps where a file cannot be written."""
    if error.errno in (ENOSPC, EDQUOT):
        return "free some disk space"
    if error.errno == EIO:
        return "check the disk"
    return "make it writable for this user"


def _unwritable(place: Path | str | None, error: OSError) -> UnwritableError:
    return UnwritableError(f"{place} cannot be written ({error.strerror}): {remedy(error)}")
