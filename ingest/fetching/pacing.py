"""Paces requests to a host, and determines the wait after a failure."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

FIRST_WAIT_SECONDS: Final = 0.5


class Pacer:
    """Spaces the requests to each host evenly. Thread-safe."""

    def __init__(self, per_second: float, sleep: Callable[[float], None]) -> None:
        self._interval = 1 / per_second
        self._sleep = sleep
        self._free: dict[bytes, float] = {}
        self._lock = threading.Lock()

    def wait(self, host: bytes, per_second: float | None = None) -> None:
        """Block until it is this request's turn. ``per_second`` can only lower the usual rate."""
        interval = max(self._interval, 1 / per_second if per_second else 0)
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._free.get(host, now))
            self._free[host] = turn + interval
        if turn > now:
            self._sleep(turn - now)


def backoff(attempt: int, asked: float | None) -> float:
    """Return the seconds to wait after the failed ``attempt`` (from 1): ``asked`` by the server, otherwise
    twice as long each time."""
    return FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if asked is None else asked


def retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds until the time in a ``Retry-After`` header (seconds or a date), or None if it has
    neither."""
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    except (ValueError, OverflowError, LookupError, TypeError):  # numbers in a date may be of any length
        return None
    return max(0.0, seconds)
