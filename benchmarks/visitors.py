"""Asyncio visitors of a chat, who ask, record when events arrive, and may leave."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.paced_model import sent_at

SECONDS: Final = 120.0
"""The time that a visitor waits for an answer."""

_ANSWER: Final = re.compile(r'"answer": "([\w-]+)"')


@dataclass(slots=True)
class ChatRecord:
    """A chat as its visitor sees it, with times of ``time.perf_counter()``. ``moments``: of the first event
    of each name. ``delays``: seconds from each token's sending to its arrival. ``answer``: its id."""

    asked_at: float = 0.0
    status: int = 0
    moments: dict[str, float] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)
    answer: str = ""

    @property
    def is_answered(self) -> bool:
        """True if the complete answer was received."""
        return self.status == 200 and "done" in self.moments

    @property
    def is_by_model(self) -> bool:
        """True if the model wrote the answer; for absent questions it is not called."""
        return self.is_answered and bool(self.delays)

    def after(self, event: str) -> float:
        """Return the seconds from asking to an event."""
        return self.moments[event] - self.asked_at

    def note(self, line: str) -> None:
        """Record one line of the stream."""
        now = time.perf_counter()
        name, _, data = line.partition(": ")
        if name == "event":
            self.moments.setdefault(data, now)
        elif name == "data":
            if "done" not in self.moments:  # ``done`` repeats the whole answer
                self.delays += [now - moment for moment in sent_at(data)]
            if data == "[DONE]":
                self.moments.setdefault("done", now)
            if not self.answer and (found := _ANSWER.search(data)):
                self.answer = found[1]


async def ask(url: str, body: Mapping[str, Any], record: ChatRecord) -> ChatRecord:
    """Send the question and receive the whole answer; if the task is cancelled, the visitor leaves."""
    record.asked_at = time.perf_counter()
    async with asyncio.timeout(SECONDS), _posted(url, body) as reader:
        record.status = int((await reader.readline()).split()[1])
        async for line in reader:
            record.note(line.decode().rstrip())
    return record


@asynccontextmanager
async def _posted(url: str, body: Mapping[str, Any]) -> AsyncIterator[asyncio.StreamReader]:
    """Post a JSON document and yield the response's stream: by HTTP/1.0, which does not use chunks."""
    parts, content = urlsplit(url), json.dumps(body).encode()
    head = (
        f"POST {parts.path}?{parts.query} HTTP/1.0\r\nHost: {parts.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(head.encode() + content)
        yield reader
    finally:
        writer.close()
