"""A scripted OpenAI-compatible embeddings endpoint on loopback, with the faults that real ones have.

Each request takes the next scripted ``Reply`` (a good one when none is left) and is recorded.
"""

import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from ingest.embedders.hashing import HashingEmbedder

POLL_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one request gets: the texts' vectors of length ``dims``, unless ``raw`` is the body.

    ``fault``: ``silent`` (nothing until the server closes) or ``cut`` (connection dropped).
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    dims: int = 64
    fault: Literal["none", "silent", "cut"] = "none"


class FakeEmbeddings:
    """The server; use as a context manager. Vectors are the hashing embedder's, not of unit length, and come
    in reverse order. ``port``: a free one unless given, so that it can come back."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.closing = threading.Event()
        self.default = Reply()
        self._replies: deque[Reply] = deque()
        self._server = _Server(self, port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Append the replies to the next requests."""
        self._replies.extend(replies)

    def next_reply(self, request: dict[str, Any], key: str | None) -> Reply:
        self.requests.append(request)
        self.keys.append(key)
        return self._replies.popleft() if self._replies else self.default

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, fake: FakeEmbeddings, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.fake = fake

    def handle_error(self, *_arguments: object) -> None:
        """Clients that die are no errors."""


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.fake.next_reply(request, self.headers.get("Authorization"))
        if reply.fault == "silent":
            self.server.fake.closing.wait()
        if reply.fault != "none" or self.server.fake.closing.is_set():
            self.close_connection = True
            return
        status = reply.status if self.path == "/v1/embeddings" else 404
        body = reply.raw if reply.raw is not None else _body(request, status, reply.dims)
        self.send_response(status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _body(request: dict[str, Any], status: int, dims: int) -> bytes:
    if status != 200:
        return json.dumps({"error": {"message": f"scripted {status}"}}).encode()
    vectors = 3 * HashingEmbedder(dims).embed_documents(request["input"])
    data = [
        {"object": "embedding", "index": index, "embedding": vector.tolist()}
        for index, vector in enumerate(vectors)
    ]
    return json.dumps({"object": "list", "model": request["model"], "data": data[::-1]}).encode()
