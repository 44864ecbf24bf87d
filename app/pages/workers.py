"""The processes that write, and which of them died: each has a file lock that the kernel drops at its death.

So the claims and leases of a killed worker are released at once instead of after their time.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from uuid import uuid4
from weakref import WeakMethod

from app.errors import DataFolderError
from app.lazy import lazy
from app.pages.writability import remedy


class WorkerRegistry:
    """Registers this process in ``folder`` (on a local disk), from its first use of :attr:`id` until
    :meth:`close` or its death. Who only reads is not registered, and needs no folder."""

    def __init__(self, folder: Path) -> None:
        self.lock = RLock()
        self._folder = folder
        self._descriptor: int | None = None

    @lazy
    def id(self) -> str:
        """The name of this process, for claims and leases. Raises ``DataFolderError`` if the folder cannot be
        written."""
        name = uuid4().hex
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = _locked_file(self._folder / f"{name}.lock")
        except OSError as error:
            raise _folder_error(self._folder, error) from error
        # A forked child would keep the lock beyond this process's death.
        method = WeakMethod(self.close)
        os.register_at_fork(after_in_child=lambda: (close := method()) and close())
        return name

    def release_dead(self, release: Callable[[str], object]) -> bool:
        """Call ``release`` with each worker that died or closed since the last time; True if there were any.

        A worker for which it raises comes again: its file is removed only afterwards.
        """
        try:
            found = [_bury(path, release) for path in sorted(self._folder.glob("*.lock"))]
        except OSError as error:
            raise _folder_error(self._folder, error) from error
        return any(found)

    def lives(self, worker: str) -> bool:
        """True if it is a process of this machine that has not ended."""
        return _is_locked(self._folder / f"{worker}.lock")

    def close(self) -> None:
        """Count as dead from now on: claims that this worker still has, if it was interrupted, are
        released."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def _locked_file(path: Path) -> int:
    """Create ``path`` already locked: it gets its name only then, so it never looks like a dead worker's."""
    unnamed = path.with_suffix(".new")
    descriptor = os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    unnamed.rename(path)
    return descriptor


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _bury(path: Path, release: Callable[[str], object]) -> bool:
    """Release the worker of a lock file that is not locked, and remove it; True if this call did."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(descriptor).st_nlink:  # another process was faster
            return False
        release(path.stem)
        path.unlink()
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _folder_error(folder: Path, error: OSError) -> DataFolderError:
    return DataFolderError(f"data folder: {folder} cannot be used ({error.strerror}): {remedy(error)}")
