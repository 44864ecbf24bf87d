"""Paces requests to a host, and leaves it alone for a while after a failure."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

FIRST_WAIT_SECONDS: Final = 0.5


class Pacer:
    """Spaces the requests to one host evenly. Safe to use from several threads."""

    def __init__(self, per_second: float, sleep: Callable[[float], None]) -> None:
        self._interval = 1 / per_second
        self._sleep = sleep
        self._free: dict[bytes, float] = {}
        self._lock = threading.Lock()

    def wait(self, host: bytes, per_second: float | None = None) -> None:
        """Return when it is this request's turn; ``per_second``: fewer than usual."""
        interval = max(self._interval, 1 / per_second if per_second else 0)
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._free.get(host, now))
            self._free[host] = turn + interval
        if turn > now:
            self._sleep(turn - now)


def backoff(attempt: int, asked: float | None) -> float:
    """Seconds to wait after the failed ``attempt`` (from 1): what the server asked for, or ever longer."""
    return FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if asked is None else asked


def retry_after(value: str, now: datetime) -> float | None:
    """The seconds in a ``Retry-After`` header, which holds seconds or a date; ``None`` for anything else."""
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    except (ValueError, OverflowError, LookupError, TypeError):  # any number of digits
        return None
    return max(0.0, seconds)
