"""How many answers may be written at once."""

from collections.abc import Callable
from threading import BoundedSemaphore, Lock
from typing import Final

from app.errors import FloodError

WAIT_SECONDS: Final = 5


class Slots:
    """As many as there are ``places``, taken and given back by whatever thread."""

    def __init__(self, places: int) -> None:
        self._free = BoundedSemaphore(places)

    def take(self) -> Callable[[], None]:
        """Take a place; what is returned gives it back, once however often it is called.

        Raises ``FloodError`` where all are taken.
        """
        if not self._free.acquire(blocking=False):
            raise FloodError(WAIT_SECONDS)
        once = Lock()

        def give_back() -> None:
            if once.acquire(blocking=False):
                self._free.release()

        return give_back
