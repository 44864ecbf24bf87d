"""A scripted OpenAI-compatible chat endpoint on loopback, with the faults that real ones have.

Each request takes the next scripted ``Reply`` (the default one when none is left) and is recorded. A
stalled or endless reply lasts until the client hangs up, which sets ``hung_up``, or the server closes.
``asked`` is set by the first request. ``models`` are listed (None: there is no list), ``lists`` times. With
``repeats_questions`` every request to rephrase a question gets it back, whatever is scripted. ``answer``
makes the reply to a request, where none is scripted.
"""

import json
import math
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from app.chat.rephrase import REPLY_TOKENS
from tests.fakes.loopback import POLL_SECONDS, LoopbackServer, QuietHandler


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one request gets.

    ``silent``: not even headers. ``stall_at``: stop before this delta (0: after the headers), for good or
    for ``stall_seconds``; ``keep_alive``: send SSE comments meanwhile. ``ending``: ``finish`` (with
    ``finish_reason``), ``early`` (a proper end without one), ``cut`` (connection dropped), ``error`` (an
    error event). ``raw``: this body instead of deltas. ``endless``: repeat the last delta until the client
    hangs up. ``usage``: tokens of prompt, cached ones and output, told to who asks for them.
    """

    deltas: tuple[str, ...] = ("Hello", " world.")
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    stall_at: int | None = None
    stall_seconds: float = math.inf
    keep_alive: bool = False
    ending: Literal["finish", "early", "cut", "error"] = "finish"
    raw: bytes | None = None
    endless: bool = False
    usage: tuple[int, int, int] | None = None


class FakeLlm(LoopbackServer):
    """The server; use as a context manager."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.models: list[str] | None = ["fake"]
        self.lists = 0
        self.asked = threading.Event()
        self.hung_up = threading.Event()
        self.default = Reply()
        self.repeats_questions = False
        self.answer: Callable[[dict[str, Any]], Reply] | None = None
        self._replies: deque[Reply] = deque()

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def script(self, *replies: Reply) -> None:
        """Append the replies to the next requests."""
        self._replies.extend(replies)

    def next_reply(self, request: dict[str, Any]) -> Reply:
        self.requests.append(request)
        self.asked.set()
        if self.repeats_questions and request["max_tokens"] == REPLY_TOKENS:
            return rewriting(request["messages"][-1]["content"].rpartition("\n")[2].partition(": ")[2])
        if self._replies:
            return self._replies.popleft()
        return self.answer(request) if self.answer else self.default


def rewriting(question: str, **more: object) -> Reply:
    """A question rephrased as the model is asked to do it. ``more``: keywords and days."""
    return Reply(deltas=(json.dumps({"question": question, **more}),))


def refusing_url() -> str:
    """A base URL where nothing listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        fake = self.server.fake
        fake.lists += 1
        self.close_connection = True
        if fake.default.silent:
            self._stall(fake.default)
        elif fake.models is None or self.path != "/v1/models" or fake.default.status >= 500:
            self._refuse(Reply(status=fake.default.status if fake.models else 404))
        else:
            self._send_json(200, {"object": "list", "data": [{"id": name} for name in fake.models]})

    def do_POST(self) -> None:  # noqa: N802 - http.server names it
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.fake.headers.append({name.lower(): value for name, value in self.headers.items()})
        reply = self.server.fake.next_reply(body)
        self.close_connection = True
        try:
            if reply.silent:
                self._stall(reply)
            elif self.path != "/v1/chat/completions":
                self._refuse(Reply(status=404))
            elif reply.status != 200:
                self._refuse(reply)
            else:
                self._stream(reply, with_usage="stream_options" in body)
        except (BrokenPipeError, ConnectionResetError):
            self.server.fake.hung_up.set()

    def _refuse(self, reply: Reply) -> None:
        self._send_json(reply.status, {"error": {"message": f"scripted {reply.status}"}}, reply.headers)

    def _send_json(self, status: int, document: object, headers: Mapping[str, str] | None = None) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, reply: Reply, *, with_usage: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if reply.raw is not None:
            self._chunk(reply.raw)
        for position, delta in enumerate(reply.deltas if reply.raw is None else ()):
            if position == reply.stall_at and not self._stall(reply):
                return
            self._event(_choice(delta, None))
        while reply.endless and not self.server.fake.closing.wait(POLL_SECONDS):
            self._event(_choice(reply.deltas[-1], None))
        self._end(reply, with_usage=with_usage)

    def _end(self, reply: Reply, *, with_usage: bool) -> None:
        if reply.ending == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if reply.ending == "error":
            self._event({"error": {"message": "out of memory"}})
        if reply.ending == "finish" and reply.raw is None:
            self._event(_choice("", "stop"))
            if with_usage and reply.usage:
                self._event(_usage(*reply.usage))
            self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, data: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(data).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _stall(self, reply: Reply) -> bool:
        """Whether the client is still there when the stall is over."""
        over = time.monotonic() + reply.stall_seconds
        while not self.server.fake.closing.is_set() and time.monotonic() < over:
            readable, _, _ = select.select([self.connection], [], [], POLL_SECONDS)
            if readable and not self.connection.recv(1):
                self.server.fake.hung_up.set()
                return False
            if reply.keep_alive:
                self._chunk(b": working\n\n")
        return not self.server.fake.closing.is_set()


def _usage(prompt: int, cached: int, output: int) -> dict[str, Any]:
    told = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {**_choice("", None), "choices": [], "usage": told}


def _choice(content: str, finish_reason: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}],
    }
