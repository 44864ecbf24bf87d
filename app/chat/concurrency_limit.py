"""How many answers may be written at once."""

from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Final

from app.errors import FloodError

WAIT_SECONDS: Final = 5
SHARE: Final = 4
"""One visitor may take one in so many places."""


class ConcurrencyLimit:
    """As many as there are ``places``, taken and given back by whatever thread."""

    def __init__(self, places: int) -> None:
        self._lock = Lock()
        self._free = places
        self._most = max(1, places // SHARE)
        self._taken: Counter[str] = Counter()

    def take(self, visitor: str = "") -> Callable[[], None]:
        """Take a place; what is returned gives it back, once however often it is called.

        Raises ``FloodError`` where all are taken, or the ``visitor`` has too many; without a name he may have
        them all.
        """
        with self._lock:
            if not self._free or (visitor and self._taken[visitor] >= self._most):
                raise FloodError(WAIT_SECONDS)
            self._free -= 1
            self._taken[visitor] += 1
        held = [visitor]

        def give_back() -> None:
            with self._lock:
                while held:
                    self._free += 1
                    self._taken -= Counter([held.pop()])

        return give_back
