"""A server on loopback that sends each connection the bytes that a script gives, however wrong they are."""

import socketserver
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterable

from tests.fakes.loopback import Loopback

Script = Iterable[bytes] | Callable[[threading.Event], Iterable[bytes]]
"""The pieces of one reply; a function gets an event that is set when the server closes."""


class ScriptedServer(Loopback):
    """Use as a context manager. One script for each connection, after its request; then it closes.

    ``requests`` holds what was asked, each as its lines; ``connections`` how often somebody connected.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        super().__init__(_Server(self, context))
        self.requests: list[list[str]] = []
        self.connections = 0
        self._scripts: deque[Script] = deque()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """An address of it."""
        return f"http://{host}:{self.port}{path}"

    def script(self, *scripts: Script) -> None:
        """Append the replies to the next connections."""
        self._scripts.extend(scripts)

    def next_script(self) -> Script:
        """The reply to a request that was just read; nothing if none is left."""
        return self._scripts.popleft() if self._scripts else ()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, fake: ScriptedServer, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake
        self.context = context

    def handle_error(self, *_arguments: object) -> None:
        """Clients that leave are no errors."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def setup(self) -> None:
        self.server.fake.connections += 1
        if self.server.context is not None:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        fake = self.server.fake
        lines = []
        while line := self.rfile.readline().strip():
            lines.append(line.decode("latin-1"))
        fake.requests.append(lines)
        script = fake.next_script()
        pieces = script(fake.closing) if callable(script) else script
        try:
            for piece in pieces:
                self.request.sendall(piece)
        except OSError:
            return


def reply(body: bytes = b"{}", status: str = "200 OK", **headers: str) -> list[bytes]:
    """One proper reply; the names of ``headers`` with ``_`` for ``-``."""
    given = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return [f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body]


def redirect(location: str, status: str = "302 Found") -> list[bytes]:
    """A reply that leads elsewhere."""
    return reply(b"", status, Location=location)
