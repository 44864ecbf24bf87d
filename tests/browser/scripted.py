"""The service as the widget sees it, where a test needs what the real one never does on demand: connections
that drop at a given byte, refusals with a given delay, silence."""

import json
import socket
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from app.web.widget import MEDIA_TYPES, files
from tests.fakes.loopback import POLL_SECONDS, LoopbackServer, QuietHandler

GATE_SECONDS: Final = 30
SITE: Final[dict[str, Any]] = {
    "key": "town",
    "name": "Fragen an Otterfurt",
    "language": "de",
    "contact": "rathaus@otterfurt.example",
    "privacy_url": "https://www.otterfurt.example/datenschutz",
    "question_characters": 2000,
    "indexes": [],
    "listed_sources": "cited",
    "ai": True,
    "law": False,
    "examples": ["Was kostet die Hundesteuer?", "Wann fährt die Fähre?", "Wo darf ich Bienen halten?"],
}


def source(number: int | None, title: str = "Hundesteuer", **changes: Any) -> dict[str, Any]:
    """A source as the API gives it."""
    given = {
        "number": number,
        "id": "de/hundesteuer.html",
        "url": "https://www.otterfurt.example/steuern/hundesteuer",
        "href": "https://www.otterfurt.example/steuern/hundesteuer#:~:text=96%20Euro",
        "title": title,
        "path": "Rathaus › Steuern",
        "field": "content",
        "snippet": "Für den ersten Hund zahlen Sie 96 Euro im Jahr, für jeden weiteren 144 Euro.",
        "similarity": 0.87 if number else 0.71,
        "used": number is not None,
    }
    return given | changes


def frame(event: str, **data: Any) -> bytes:
    """One event of a stream."""
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()


def started(answer: str = "a1", conversation: str = "c1") -> bytes:
    return frame("started", answer=answer, conversation=conversation)


def found(*sources: dict[str, Any], degraded: tuple[str, ...] = ()) -> bytes:
    return frame("sources", sources=sources or [source(1)], mode="knn", degraded=degraded)


def preview(text: str, keep: int = 0, index: int = 0) -> bytes:
    """A change of the block that is being written."""
    return frame("preview", index=index, keep=keep, text=text)


def block(html: str, index: int = 0) -> bytes:
    return frame("block", index=index, html=html)


def done(status: str = "answered", **changes: Any) -> bytes:
    given = {
        "mode": "knn",
        "degraded": [],
        "model": "fake",
        "citations": [1],
        "probable": [],
        "suggestions": [],
        "other_readings": [],
    }
    return frame("done", **({"status": status} | given | changes))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one question gets: a stream of bytes, or a refusal with a ``status``.

    ``ending``: ``end`` properly, ``cut`` the connection, or ``hang`` until the client leaves.
    ``gates``: what to wait for before a piece, by its position, or behind the last one before the ending.
    A browser throws away what it has not read yet when a connection is cut.
    """

    pieces: tuple[bytes, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Literal["end", "cut", "hang"] = "end"
    gates: Mapping[int, threading.Event] = field(default_factory=dict)


class ScriptedService(LoopbackServer):
    """Use as a context manager. ``stored``: answers by id; ``requests``: what was asked, in order;
    ``failing``: ends of paths that are answered 503; ``held``: what conversations wait for."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.site = dict(SITE)
        self.stored: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.failing: set[str] = set()
        self.held: threading.Event | None = None
        self._replies: deque[Reply] = deque()

    def script(self, *replies: Reply) -> None:
        """Append the replies to the next questions."""
        self._replies.extend(replies)

    def next_reply(self) -> Reply:
        return self._replies.popleft() if self._replies else Reply(status=500)

    def asked(self, method: str, path: str) -> list[Any]:
        """The bodies of such requests."""
        return [body for got, at, body in self.requests if (got, at) == (method, path)]


class _Handler(QuietHandler):
    def do_OPTIONS(self) -> None:  # noqa: N802 - http.server names them
        self._send(204)

    def do_GET(self) -> None:  # noqa: N802
        service: ScriptedService = self.server.fake
        path = self._path()
        name = "loader.js" if path == "/widget.js" else path.partition("/widget/")[2].partition("/")[2]
        service.requests.append(("GET", path, None))
        if any(path.endswith(failing) for failing in service.failing):
            self._send(503)
        elif name in files().contents:
            suffix = name[name.rindex(".") :]
            self._send(200, files().contents[name], {"Content-Type": MEDIA_TYPES[suffix]})
        elif path == "/api/site":
            self._json(service.site)
        elif path.startswith("/api/answers/") and (answer := service.stored.get(path.split("/")[3])):
            self._json(answer)
        elif path.startswith("/api/conversations/"):
            if service.held:
                service.held.wait(GATE_SECONDS)
            kept = [a for a in service.stored.values() if a["conversation"] == path.split("/")[3]]
            self._json({"id": path.split("/")[3], "answers": kept}) if kept else self._send(404)
        else:
            self._send(404)

    def do_DELETE(self) -> None:  # noqa: N802
        self.server.fake.requests.append(("DELETE", self._path(), None))
        self._send(503 if self._path() in self.server.fake.failing else 204)

    def do_POST(self) -> None:  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.fake.requests.append(("POST", self._path(), body))
        if self._path() != "/api/chat":
            self._send(503 if "feedback" in self.server.fake.failing else 204)
            return
        reply = self.server.fake.next_reply()
        if reply.status != 200:
            self._send(reply.status, b"{}", reply.headers)
            return
        try:
            self._stream(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _stream(self, reply: Reply) -> None:
        self.close_connection = True
        self._send_head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        for position, piece in enumerate((*reply.pieces, b"")):
            if position in reply.gates:
                reply.gates[position].wait(GATE_SECONDS)
            if piece:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.flush()
        if reply.ending == "hang":
            self._hang()
        elif reply.ending == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _hang(self) -> None:
        self.connection.settimeout(POLL_SECONDS)
        while not self.server.fake.closing.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue

    def _path(self) -> str:
        return unquote(urlsplit(self.path).path)

    def _json(self, document: Mapping[str, Any]) -> None:
        self._send(200, json.dumps(document).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        length = {} if status == 204 else {"Content-Length": str(len(body))}
        self._send_head(status, {**length, **(headers or {})})
        self.wfile.write(body)

    def _send_head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        cross_origin = {
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Headers": "Content-Type",
            "Access-Control-Allow-Methods": "GET, POST, DELETE",
            "Access-Control-Expose-Headers": "Retry-After",
        }
        for name, value in {**cross_origin, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
