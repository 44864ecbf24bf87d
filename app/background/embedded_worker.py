"""The embedded worker: a thread that does due work, one per installation and kind of work.

One indexes and rebuilds (:mod:`app.background.steps`); others beside it fetch, pull and reconcile, and run
the steps of features.

The thread that has locked its file (``drain.lock`` for indexing) works; those of other serving processes wait
to replace it. New pages wake it at once in its own process (:meth:`EmbeddedWorker.wake`), and within a second
in others.
"""

import fcntl
import os
from pathlib import Path
from threading import Event, Thread
from typing import Final, Literal

import structlog

from app.background.steps import StepFunction
from app.errors import DataFolderError
from app.pages.writability import remedy

POLL_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0

log = structlog.get_logger(__name__)


class EmbeddedWorker:
    """A :class:`app.queue.tasks.Queue` that does the work itself, once started. ``lock``: the file that it
    locks while it works. ``companion``: another worker, which is started, woken and closed with this one."""

    def __init__(
        self,
        *,
        lock: Path,
        run_once: StepFunction,
        retry_seconds: float,
        companion: "EmbeddedWorker | None" = None,
    ) -> None:
        self._path = lock
        self._run_once = run_once
        self._retry_seconds = retry_seconds
        self._companion = companion
        self._descriptor: int | None = None
        self._thread: Thread | None = None
        self._wanted = Event()
        self._stopping = Event()

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """Wake the thread, as :class:`app.queue.tasks.Queue` does; no effect if it runs in another
        process."""
        self._wanted.set()
        if self._companion is not None:
            self._companion.wake()

    def start(self) -> None:
        """Start to work, or to wait until the process that works has ended."""
        self._start(pause=0)
        if self._companion is not None:
            self._companion.start()

    def close(self) -> None:
        """Stop after the current batch; one that lasts longer than ``STOP_SECONDS`` ends with the process."""
        self._stopping.set()
        self._wanted.set()
        if self._companion is not None:
            self._companion.close()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def state(self) -> Literal["here", "elsewhere", "nowhere"]:
        """Return the place where the installation's thread runs. Raises ``DataFolderError``."""
        if self._descriptor is not None and self._thread is not None and self._thread.is_alive():
            return "here"
        descriptor = self._try_lock(fcntl.LOCK_SH)
        if descriptor is None:
            return "elsewhere"
        os.close(descriptor)
        return "nowhere"

    def _start(self, pause: float) -> None:
        self._thread = Thread(target=self._run, args=(pause,), name=self._path.stem, daemon=True)
        self._thread.start()

    def _run(self, pause: float) -> None:
        self._stopping.wait(pause)
        try:
            while not self._stopping.is_set():
                self._work()
            self._unlock()
        finally:
            if not self._stopping.is_set():  # a fault of ours: show its traceback, go on with other pages
                self._start(pause=self._retry_seconds)

    def _work(self) -> None:
        try:
            worked = self._has_lock() and self._run_once(self._stopping.is_set)
        except DataFolderError as error:  # from the lock file
            log.warning("embedded_worker_waits", reason=str(error), seconds=self._retry_seconds)
            self._stopping.wait(self._retry_seconds)
            return
        if not worked:
            self._wanted.wait(POLL_SECONDS)
            self._wanted.clear()

    def _has_lock(self) -> bool:
        if self._descriptor is None:
            self._descriptor = self._try_lock(fcntl.LOCK_EX)
        return self._descriptor is not None

    def _try_lock(self, kind: int) -> int | None:
        """Lock the file and return its descriptor, or ``None`` if another process has locked it."""
        try:
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise DataFolderError(
                f"data folder: {self._path} cannot be opened ({error.strerror}): {remedy(error)}"
            ) from error
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def _unlock(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None
