"""What the fake servers share: a server on loopback in a thread of its own."""

import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

POLL_SECONDS = 0.01


class Loopback:
    """Runs ``server`` in a thread; use as a context manager. ``closing`` is set before it stops."""

    def __init__(self, server: socketserver.TCPServer) -> None:
        self.closing = threading.Event()
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class LoopbackServer(Loopback):
    """An HTTP server. ``handler`` finds this object as ``self.server.fake``. ``port``: a free one unless
    given."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        server = _Server(("127.0.0.1", port), handler)
        server.fake = self
        super().__init__(server)

    @property
    def address(self) -> str:
        """Where it listens, as the beginning of a URL."""
        return f"http://127.0.0.1:{self.port}"


class QuietHandler(BaseHTTPRequestHandler):
    """Logs nothing."""

    server: "_Server"
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: Any

    def handle_error(self, *_arguments: object) -> None:
        """Clients that leave are no errors."""
