"""What is done once a night where no workers keep a schedule: old things are forgotten, and everything is
reconciled. A night that was missed is made up for by the next start."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from app.indexing.stopping import Stop
from app.pages.store import utc_now

HOUR: Final = 3
"""In UTC."""


class NightlyStep:
    """A :data:`app.background.steps.StepFunction`. ``last``: when everything was reconciled last."""

    def __init__(
        self,
        *,
        last: Callable[[], datetime],
        forget: Callable[[], None],
        reconcile: Callable[[Stop], object],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._last = last
        self._forget = forget
        self._reconcile = reconcile
        self._clock = clock
        self._next: datetime | None = None

    def __call__(self, stop: Stop) -> bool:
        """Do it all if a night has begun since the last time; there is never more to do at once."""
        now = self._clock()
        if self._next is not None and now < self._next:
            return False
        night = begun_last(now)
        if self._last() < night:
            self._forget()
            self._reconcile(stop)
        self._next = night + timedelta(days=1)
        return False


def begun_last(now: datetime) -> datetime:
    """When the night began that is now or was last."""
    begun = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return begun if begun <= now else begun - timedelta(days=1)
