"""Ending from one thread what another one waits for on a connection.

A reader who leaves is noticed by the thread that writes to him, while the one that talks to the language
model may be waiting for its first byte. Closing a socket under a blocked read does not wake it; shutting the
connection down does.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock


class Cancellation:
    """One request to stop, for whatever works on one answer. Cannot be taken back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requested = Event()
        self._connection: socket.socket | None = None

    @property
    def is_requested(self) -> bool:
        """Whether work is to end."""
        return self._requested.is_set()

    def request(self) -> None:
        """Let all work end: the connection that is waited on is shut down, and no other is opened."""
        with self._lock:
            self._requested.set()
            if self._connection is not None:
                shut_down(self._connection)

    def wait(self, seconds: float) -> bool:
        """Pause; whether work is to end, which ends the pause."""
        return self._requested.wait(seconds)

    def watch(self, connection: socket.socket) -> None:
        """From now on this connection is what is waited on, until ``watching`` ends."""
        with self._lock:
            self._connection = connection
            if self._requested.is_set():
                shut_down(connection)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Forget the connection afterwards."""
        try:
            yield
        finally:
            with self._lock:
                self._connection = None


def shut_down(connection: socket.socket) -> None:
    """End a connection under a thread that reads from it; nothing if it has ended."""
    # The plain socket's method: an SSL socket's own one would drop its state under the reader.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
