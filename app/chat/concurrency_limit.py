"""Limits how many answers are written at the same time."""

from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Final

from app.errors import FloodError

RETRY_SECONDS: Final = 5
VISITOR_SHARE: Final = 4
"""One visitor may have at most 1/4 of the capacity, one answer at least."""


class ConcurrencyLimit:
    """A semaphore with ``capacity`` slots and a share for each visitor. Thread-safe."""

    def __init__(self, capacity: int) -> None:
        self._lock = Lock()
        self._free = capacity
        self._per_visitor = max(1, capacity // VISITOR_SHARE)
        self._used: Counter[str] = Counter()

    def acquire(self, visitor: str = "") -> Callable[[], None]:
        """Take a slot, and return the function that releases it. Further calls of that function do nothing.

        Raises ``FloodError`` if no slot is free or the ``visitor`` has their share. A visitor without a name
        has no share of their own.
        """
        with self._lock:
            if not self._free or (visitor and self._used[visitor] >= self._per_visitor):
                raise FloodError(RETRY_SECONDS)
            self._free -= 1
            self._used[visitor] += 1
        visitors = [visitor]

        def release() -> None:
            with self._lock:
                while visitors:
                    self._free += 1
                    self._used -= Counter([visitors.pop()])

        return release

    @property
    def is_used(self) -> bool:
        """True while an answer is being written."""
        with self._lock:
            return self._used.total() > 0
