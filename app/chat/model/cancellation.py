"""Cancels a model call from another thread.

The thread that writes to the visitor notices when they leave, while the thread that calls the language model
may be blocked in a read. Closing the socket does not wake that thread; shutting the connection down does.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock


class Cancellation:
    """One request to stop all model calls of one answer. Cannot be taken back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requested = Event()
        self._connection: socket.socket | None = None

    @property
    def is_requested(self) -> bool:
        """True once :meth:`request` was called."""
        return self._requested.is_set()

    def request(self) -> None:
        """Stop: shut the watched connection down, and every later one as soon as it is opened."""
        with self._lock:
            self._requested.set()
            if self._connection is not None:
                shut_down(self._connection)

    def wait(self, seconds: float) -> bool:
        """Sleep until the time is over or a request comes. Return True if it was requested."""
        return self._requested.wait(seconds)

    def watch(self, connection: socket.socket) -> None:
        """Watch this connection instead of the one before, until ``watching`` ends."""
        with self._lock:
            self._connection = connection
            if self._requested.is_set():
                shut_down(connection)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Release the watched connection at the end of the body."""
        try:
            yield
        finally:
            with self._lock:
                self._connection = None


def shut_down(connection: socket.socket) -> None:
    """Shut a connection down, which ends a read that is blocked in another thread."""
    # Call the plain socket's method, because an SSL socket's own would drop its state during the read.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
