"""Registry of the processes that write. Each holds a file lock, which the kernel drops when it dies.

This way the claims and leases of a killed worker are released at once, instead of when they run out.
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
    :meth:`close` or its death. Processes that only read are not registered and need no folder."""

    def __init__(self, folder: Path) -> None:
        self.lock = RLock()
        self._folder = folder
        self._descriptor: int | None = None

    @lazy
    def id(self) -> str:
        """This process's name in claims and leases. Raises ``DataFolderError`` if the folder cannot be
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
        """Call ``release`` with each worker that died or closed since the last call; return True if any did.

        If ``release`` raises, its worker comes again, because its file is removed only afterwards.
        """
        try:
            found = [_bury(path, release) for path in sorted(self._folder.glob("*.lock"))]
        except OSError as error:
            raise _folder_error(self._folder, error) from error
        return any(found)

    def lives(self, worker: str) -> bool:
        """Return True if ``worker`` is a process of this machine that has not ended."""
        return _is_locked(self._folder / f"{worker}.lock")

    def close(self) -> None:
        """Count as dead from now on, so that claims of an interrupted worker are released."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def _locked_file(path: Path) -> int:
    """Create ``path`` and lock it before it gets its name, so that it never looks like a dead worker's."""
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
    """Release the worker of an unlocked lock file and remove the file; return True if this call did."""
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
