"""The rate limit of each sender, by the generic cell rate algorithm (ITU-T I.371), in this process's memory.

Own code: docs/adr/0020-libraries-tried.md.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from app.errors import FloodError

WINDOW_SECONDS: Final = 60.0


class RateLimiter:
    """Allows a number of messages a minute for each name, in a burst or spread. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._full_at: dict[str, float] = {}

    def hit(self, name: str, per_minute: int) -> None:
        """Count a message. If it is over the limit, raise ``FloodError`` with the seconds to wait, and do not
        count it."""
        interval = WINDOW_SECONDS / per_minute
        with self._lock:
            now = self._clock()
            full_at = max(self._full_at.get(name, now), now) + interval
            if full_at - now > WINDOW_SECONDS:
                raise FloodError(full_at - now - WINDOW_SECONDS)
            self._full_at[name] = full_at
