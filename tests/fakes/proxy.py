"""A TCP proxy on loopback that breaks connections at requests of one's choice."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Literal, Self

Break = Literal["request", "answer", "hold"]
"""Cut in the middle of the request; cut when all of it was delivered and the server has answered; or deliver
nothing and keep the connection, so that the client waits."""

SECONDS: Final = 10.0
_CHUNK: Final = 1 << 16


class Proxy:
    """Forwards to a server on loopback. A ``with`` block ends it and all its connections."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        self._changed = threading.Condition()
        self._marker, self._break, self._left = b"", "request", 0
        self.broken = 0
        """How many requests were broken so far."""

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def break_next(self, marker: bytes, how: Break, times: int = 1) -> None:
        """Break the next requests, at the piece of them that holds ``marker``."""
        with self._changed:
            self._marker, self._break, self._left = marker, how, times

    def wait_for_broken(self, count: int) -> None:
        """Wait until that many requests were broken. Fails if that takes too long."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.broken >= count, SECONDS), f"{self.broken} broken"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            _cut(*self._open)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                with self._changed:
                    self._open += [client, server]
                doomed = threading.Event()
                for forward in (self._requests, self._answers):
                    threading.Thread(target=forward, args=(client, server, doomed), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket, doomed: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(_CHUNK):
                how = self._broken(data)
                if how == "hold":
                    return
                if how == "request":
                    server.sendall(data[: len(data) // 2])
                    break
                if how == "answer":
                    doomed.set()
                server.sendall(data)
        _cut(client, server)

    def _answers(self, client: socket.socket, server: socket.socket, doomed: threading.Event) -> None:
        with suppress(OSError):
            while (data := server.recv(_CHUNK)) and not doomed.is_set():
                client.sendall(data)
        _cut(client, server)

    def _broken(self, data: bytes) -> str | None:
        with self._changed:
            if not self._left or self._marker not in data:
                return None
            self._left -= 1
            self.broken += 1
            self._changed.notify_all()
            return self._break


def _cut(*connections: socket.socket) -> None:
    for connection in connections:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
