"""A scripted ``/rerank`` endpoint on loopback, in both forms, with the faults that real ones have.

Each request takes the next scripted ``Reply`` (a good one when none is left) and is recorded. A text's score
is the share of the question's words that it has; the best comes first. ``models`` are listed, and ``info`` is
told (None: there is no such thing), ``asked`` times.
"""

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.loopback import LoopbackServer, QuietHandler

PIECE = b" " * 65_536


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one request gets: the texts' scores, unless ``raw`` is the body.

    ``fault``: ``silent`` (nothing until the server closes), ``cut`` (connection dropped), ``endless`` (blanks
    without end) or ``dripping`` (the same, slowly).
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    fault: Literal["none", "silent", "cut", "endless", "dripping"] = "none"


class FakeReranker(LoopbackServer):
    """The server; use as a context manager."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.models: list[str] | None = None
        self.info: dict[str, str] | None = None
        self.asked = 0
        self.default = Reply()
        self._replies: deque[Reply] = deque()

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def script(self, *replies: Reply) -> None:
        """Append the replies to the next requests."""
        self._replies.extend(replies)

    def next_reply(self) -> Reply:
        """The reply to the request that was just read."""
        return self._replies.popleft() if self._replies else self.default


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        fake: FakeReranker = self.server.fake
        fake.asked += 1
        models = fake.models and {"data": [{"id": name} for name in fake.models]}
        document = models if self.path.endswith("/models") else fake.info
        self._send(404 if document is None else 200, json.dumps(document).encode(), {})

    def do_POST(self) -> None:  # noqa: N802 - http.server names it
        fake: FakeReranker = self.server.fake
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fake.requests.append(request)
        fake.paths.append(self.path)
        fake.keys.append(self.headers.get("Authorization"))
        reply = fake.next_reply()
        if reply.fault in ("endless", "dripping"):
            self._go_on(PIECE if reply.fault == "endless" else b" ", 0 if reply.fault == "endless" else 0.02)
        if reply.fault == "silent":
            fake.closing.wait()
        if reply.fault != "none" or fake.closing.is_set():
            self.close_connection = True
            return
        body = reply.raw if reply.raw is not None else _body(request, reply.status)
        self._send(reply.status, body, reply.headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _go_on(self, piece: bytes, pause: float) -> None:
        """Send until the client leaves or the server closes."""
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.fake.closing.wait(pause):
                self.wfile.write(piece)
        except OSError:
            return


def _body(request: dict[str, Any], status: int) -> bytes:
    if status != 200:
        return json.dumps({"message": f"scripted {status}"}).encode()
    wanted = set(request["query"].casefold().split())
    texts = request["documents"] if "documents" in request else request["texts"]
    name = "relevance_score" if "documents" in request else "score"
    results = [
        {"index": index, name: len(wanted & set(text.casefold().split())) / max(len(wanted), 1)}
        for index, text in enumerate(texts)
    ]
    results.sort(key=lambda result: -result[name])
    return json.dumps({"results": results} if "documents" in request else results).encode()
