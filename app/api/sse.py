"""Server-sent events (WHATWG HTML, "Server-sent events"): frames, and comments as keep-alive pings."""

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

from app.api import pings

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PING: Final = ": ping\n\n"

Frames = Generator[str, None, None]


def frame(event: str, data: Mapping[str, Any]) -> str:
    """Return one event. JSON in ASCII contains no line breaks."""
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"


def data(document: Mapping[str, Any]) -> str:
    """Return one event without a name."""
    return f"data: {json.dumps(document)}\n\n"


def with_pings(frames: Frames, cancel: Callable[[], None]) -> Frames:
    """Add pings to the frames (:func:`app.api.pings.with_pings`)."""
    return pings.with_pings(frames, cancel, PING)
