"""A scripted OpenAI-compatible embeddings endpoint on loopback, with the faults that real ones have.

Each request takes the next scripted ``Reply`` (a good one when none is left) and is recorded. ``models`` are
listed (None: there is no list), ``lists`` times.
"""

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

from ingest.embedders.hashing import HashingEmbedder
from tests.fakes.loopback import LoopbackServer, QuietHandler


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one request gets after ``seconds``: the texts' vectors of length ``dims``, unless ``raw`` is the
    body.

    ``fault``: ``silent`` (nothing until the server closes) or ``cut`` (connection dropped).
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    dims: int = 64
    seconds: float = 0.0
    fault: Literal["none", "silent", "cut"] = "none"


class FakeEmbeddings(LoopbackServer):
    """The server; use as a context manager. Vectors are the hashing embedder's, not of unit length, and come
    in reverse order. ``port``: a free one unless given, so that it can come back."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(_Handler, port)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.headers: list[dict[str, str]] = []
        self.models: list[str] | None = None
        self.lists = 0
        self.default = Reply()
        self._replies: deque[Reply] = deque()

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def script(self, *replies: Reply) -> None:
        """Append the replies to the next requests."""
        self._replies.extend(replies)

    def next_reply(self, request: dict[str, Any], key: str | None) -> Reply:
        self.requests.append(request)
        self.keys.append(key)
        return self._replies.popleft() if self._replies else self.default


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        fake = self.server.fake
        fake.lists += 1
        listed = fake.models is not None and self.path == "/v1/models"
        data = [{"id": name} for name in fake.models or ()]
        body = json.dumps({"object": "list", "data": data}).encode()
        self.send_response(200 if listed else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:  # noqa: N802 - http.server names it
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.fake.headers.append({name.lower(): value for name, value in self.headers.items()})
        reply = self.server.fake.next_reply(request, self.headers.get("Authorization"))
        self.server.fake.closing.wait(reply.seconds)
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
