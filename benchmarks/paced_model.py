"""A language model for benchmarks: an OpenAI-compatible endpoint on loopback that replies at a given pace.

One asyncio loop serves thousands of tokens a second. Each token is the time when it was sent
(``time.perf_counter()``, which all processes of a Linux machine share), so that its receiver knows how long
it took.
"""

import asyncio
import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from app.chat.rephrase import REPLY_TOKENS

HOST: Final = "127.0.0.1"
PARAGRAPH_TOKENS: Final = 40
STATUS: Final = "STATUS: answered\n"
CITATION: Final = " [1]"

_LENGTH: Final = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
_SENT: Final = re.compile(r"\b\d+\.\d{6}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds until the reply to a rephrasing, until an answer's first token, and between two tokens."""

    rephrase: float
    first_token: float
    between: float
    tokens: int

    @property
    def seconds(self) -> float:
        """The least time of a whole chat."""
        return self.rephrase + self.first_token + self.between * (self.tokens - 1)


@dataclass(slots=True, kw_only=True)
class Call:
    """One request. ``prompt``: its last message. ``ended_at``: when either side closed the connection."""

    prompt: str
    begun_at: float
    ended_at: float | None = None


@dataclass(slots=True)
class PacedModel:
    """The endpoint; use it as an asynchronous context manager. It rephrases a question by repeating it."""

    pace: Pace
    calls: list[Call] = field(default_factory=list)
    _server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, HOST, 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()

    @property
    def base_url(self) -> str:
        """The base URL for clients."""
        assert self._server is not None
        return f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await request(reader)
        if asked is not None:
            call = Call(prompt=asked["messages"][-1]["content"], begun_at=time.perf_counter())
            self.calls.append(call)
            is_rephrasing = asked["max_tokens"] == REPLY_TOKENS
            reply = self._rephrase(call.prompt, writer) if is_rephrasing else self._answer(writer)
            tasks = [asyncio.ensure_future(reply), asyncio.ensure_future(_left(reader))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            call.ended_at = time.perf_counter()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        writer.close()

    async def _rephrase(self, prompt: str, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self.pace.rephrase)
        question = prompt.rpartition("\n")[2].partition(": ")[2]
        writer.write(HEAD + event(json.dumps({"question": question})) + END)
        await writer.drain()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        """Send tokens at the times that the pace gives, however late earlier ones were."""
        writer.write(HEAD)
        begun = time.perf_counter()
        for number in range(self.pace.tokens):
            due = begun + self.pace.first_token + number * self.pace.between
            await asyncio.sleep(due - time.perf_counter())
            writer.write(event(_token(number)))
            await writer.drain()
        writer.write(END)
        await writer.drain()


def sent_at(text: str) -> list[float]:
    """Return the times when the tokens in ``text`` were sent."""
    return [float(moment) for moment in _SENT.findall(text)]


def _token(number: int) -> str:
    before = STATUS if number == 0 else "\n\n" if number % PARAGRAPH_TOKENS == 0 else ""
    after = CITATION if number % PARAGRAPH_TOKENS == 1 else ""
    return f"{before} {time.perf_counter():.6f}{after}"


def event(content: str, finish_reason: str | None = None) -> bytes:
    """Return a chunk of a reply as a server-sent event."""
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}
    chunk = {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "paced",
        "choices": [choice],
    }
    return b"data: %b\n\n" % json.dumps(chunk).encode()


END: Final = event("", "stop") + b"data: [DONE]\n\n"


async def request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Return the request's body, or None if the client left at once."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        head = await reader.readuntil(b"\r\n\r\n")
        found = _LENGTH.search(head)
        body: dict[str, Any] = json.loads(await reader.readexactly(int(found[1]) if found else 0))
        return body
    return None


async def _left(reader: asyncio.StreamReader) -> None:
    """Wait until the client closes the connection."""
    with suppress(ConnectionError):
        await reader.read(1)
