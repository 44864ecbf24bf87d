"""gunicorn's threaded worker, without the ways in which a single client can stop it.

gunicorn waits in the thread that accepts connections until a client has closed his end, up to 2 s for each,
and for as long as he likes in another thread until he has sent or read everything.
"""

import socket
from contextlib import suppress
from errno import EPIPE
from types import FrameType
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

CLIENT_SECONDS: Final = 10.0
"""A client who neither sends nor reads for so long is taken for gone."""

LINGER_SECONDS: Final = 2.0
"""How long a client has for closing his end, so that he reads the whole response (RFC 9112, 9.6)."""


class Connection(socket.socket):
    """One client's. Waiting for him ends."""

    def setblocking(self, flag: bool) -> None:
        """Blocking means for ``CLIENT_SECONDS`` at a time."""
        self.settimeout(CLIENT_SECONDS if flag else 0)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """What came; nothing, as from a client who has left, where nothing comes."""
        try:
            return super().recv(size, flags)
        except TimeoutError:
            return b""

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Raises ``BrokenPipeError`` where the client does not read, as where he has left."""
        try:
            super().sendall(data, flags)
        except TimeoutError as error:
            raise BrokenPipeError(EPIPE, "the client does not read") from error


class Worker(ThreadWorker):  # type: ignore[misc]
    """Stops on Ctrl-C as on SIGTERM: gunicorn's quick way takes a lock in the signal handler that the
    interrupted thread may hold, and then waits for ever. Answers that are being written end first."""

    def enqueue_req(self, conn: Any) -> None:
        """A client has something to say, for the first time or again."""
        if not isinstance(conn.sock, Connection):
            conn.sock = Connection(fileno=conn.sock.detach())
            conn.sock.setblocking(True)
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Answer, and take leave in this thread."""
        is_kept = super().handle(conn)
        if not is_kept:
            with suppress(OSError):
                _linger(conn.sock)
        return is_kept

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End what is being written, then stop."""
        self.app.leave()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """Stop as on SIGTERM."""
        self.handle_exit(sig, frame)


def _linger(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(LINGER_SECONDS)
    while connection.recv(4_096):
        pass
    connection.shutdown(socket.SHUT_RD)
