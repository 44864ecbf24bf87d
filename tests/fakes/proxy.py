"""A TCP proxy on loopback that breaks connections at requests of one's choice."""

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Literal, Self

Break = Literal["request", "answer", "late"]
"""Cut in the middle of the request; cut when all of it was delivered and the server has answered; or keep
the server's answer until ``release``."""

SECONDS: Final = 10.0
_CHUNK: Final = 1 << 16


@dataclass(slots=True)
class _Connection:
    client: socket.socket
    server: socket.socket
    how: Break | None = None

    def cut(self) -> None:
        _cut(self.client)
        _cut(self.server)


class Proxy:
    """Forwards to a server on loopback. A ``with`` block ends it and all its connections."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[_Connection] = []
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._marker = b""
        self._how: Break = "request"
        self._left = 0
        self.broken = 0
        """How many requests were broken so far."""

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def break_next(self, marker: bytes, how: Break, times: int = 1) -> None:
        """Break the next requests, at the piece of them that holds ``marker``."""
        with self._changed:
            self._marker, self._how, self._left = marker, how, times

    def wait_for_broken(self, count: int) -> None:
        """Wait until that many requests were broken. Fails if that takes too long."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.broken >= count, SECONDS), f"{self.broken} broken"

    def release(self) -> None:
        """Deliver the late answers."""
        self._released.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _cut(self._listener)
        self.release()
        for connection in self._connections:
            connection.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                connection = _Connection(client, socket.create_connection(self._target))
                self._connections.append(connection)
                for forward in (self._requests, self._answers):
                    threading.Thread(target=forward, args=(connection,), daemon=True).start()

    def _requests(self, connection: _Connection) -> None:
        with suppress(OSError):
            while data := connection.client.recv(_CHUNK):
                if how := self._broken(data):
                    connection.how = how
                if how == "request":
                    connection.server.sendall(data[: len(data) // 2])
                    self._count()
                    break
                connection.server.sendall(data)
        connection.cut()

    def _answers(self, connection: _Connection) -> None:
        with suppress(OSError):
            while data := connection.server.recv(_CHUNK):
                if connection.how:
                    self._count()
                if connection.how == "answer":
                    break
                if connection.how == "late":
                    self._released.wait()
                connection.how = None
                connection.client.sendall(data)
        connection.cut()

    def _broken(self, data: bytes) -> Break | None:
        with self._changed:
            if not self._left or self._marker not in data:
                return None
            self._left -= 1
            return self._how

    def _count(self) -> None:
        with self._changed:
            self.broken += 1
            self._changed.notify_all()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
