"""What the fake servers share: an HTTP server on loopback in a thread of its own."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

POLL_SECONDS = 0.01


class LoopbackServer:
    """Use as a context manager. ``handler`` finds this object as ``self.server.fake``; ``closing`` is set
    before the server stops. ``port``: a free one unless given."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True)

    @property
    def address(self) -> str:
        """Where it listens, as the beginning of a URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


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
