"""Server-sent events (WHATWG HTML, "Server-sent events"): framing, and pings while nothing happens."""

import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
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
    with closing(frames), ThreadPoolExecutor(max_workers=1, thread_name_prefix="sse") as pool:
        try:
            while True:
                coming = pool.submit(next, frames, None)
                while not wait([coming], timeout=seconds).done:
                    yield PING
                made = coming.result()
                if made is None:
                    return
                yield made
        except GeneratorExit:
            leave()
            raise
