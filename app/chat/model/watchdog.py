"""Deadlines for blocking reads from a socket.

A timeout of each read never fires while a proxy sends keep-alive comments. This deadline applies until the
caller has its token.
"""

import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from app.chat.model.cancellation import shut_down


class Watchdog:
    """Shuts ``connection`` down at a deadline, which ends a read that is blocked in another thread.

    ``fired``: True if the deadline, not the peer, ended the connection.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.fired = False
        self._connection = connection
        self._deadline: float | None = None
        self._looks_at = math.inf
        self._over = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._over = True
            self._changed.notify()
        self._thread.join()

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Apply the deadline, in ``time.monotonic()``, to the body."""
        self._set(deadline)
        try:
            yield
        finally:
            self._set(None)

    def _set(self, deadline: float | None) -> None:
        with self._changed:
            self._deadline = deadline
            # The thread sees a later deadline when it wakes, so it need not be woken for each token.
            if deadline is not None and deadline < self._looks_at:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._over:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is None or left > 0:
                    self._looks_at = math.inf if self._deadline is None else self._deadline
                    self._changed.wait(left)
                    continue
                self.fired = True
                shut_down(self._connection)
                return
