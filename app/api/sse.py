"""Server-sent events (WHATWG HTML, "Server-sent events"): framing, and pings while nothing happens."""

import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import Any, Final

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PING: Final = ": ping\n\n"
PING_SECONDS: Final = 3.0

Frames = Generator[str, None, None]


def frame(event: str, data: Mapping[str, Any]) -> str:
    """One event; JSON in ASCII holds no line break, whatever the data."""
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"


def with_pings(frames: Frames, leave: Callable[[], None], seconds: float = PING_SECONDS) -> Frames:
    """The frames, and a ping whenever none came for ``seconds``.

    The frames are made in a thread of their own, one at a time and not ahead of the reader. When the reader
    leaves, which a ping finds out at the latest, ``leave`` is called, so that the frame being made is not
    waited for; then ``frames`` is closed.
    """
    made: SimpleQueue[str | None] = SimpleQueue()
    wanted: SimpleQueue[bool] = SimpleQueue()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="sse") as pool:
        making = pool.submit(_make, frames, made, wanted)
        try:
            while (coming := _next(made, seconds)) is not None:
                yield coming
                if coming != PING:
                    wanted.put(True)
        except GeneratorExit:
            wanted.put(False)
            leave()
            raise
        making.result()


def _make(frames: Frames, made: "SimpleQueue[str | None]", wanted: "SimpleQueue[bool]") -> None:
    """Make frames, one more whenever it is wanted; then ``None``."""
    try:
        with closing(frames):
            for each in frames:
                made.put(each)
                if not wanted.get():
                    break
    finally:
        made.put(None)


def _next(made: "SimpleQueue[str | None]", seconds: float) -> str | None:
    try:
        return made.get(timeout=seconds)
    except Empty:
        return PING
