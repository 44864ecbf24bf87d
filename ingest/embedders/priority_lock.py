"""A lock for engines that compute for one thread at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class PriorityLock:
    """A lock for one thread at a time; threads that ask to be ``first`` go before all others.

    If documents release the lock after every batch, a query waits only for the batch in progress.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._held = False
        self._waiting_first = 0

    @contextmanager
    def held(self, *, first: bool = False) -> Iterator[None]:
        """Wait for the lock and hold it within the block."""
        with self._changed:
            self._waiting_first += first
            try:
                self._changed.wait_for(lambda: not self._held and (first or not self._waiting_first))
            finally:
                self._waiting_first -= first
            self._held = True
        try:
            yield
        finally:
            with self._changed:
                self._held = False
                self._changed.notify_all()
