"""Nightly work if no workers keep a schedule: expired records are deleted, and everything is reconciled. A
missed night is made up for at the next start."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from app.background.steps import run_all
from app.indexing.stopping import Stop
from app.pages.database import utc_now

HOUR: Final = 3
"""The hour, in UTC, at which a night starts."""


@dataclass(kw_only=True, eq=False)
class NightlyStep:
    """A :data:`app.background.steps.StepFunction`. ``last`` returns the time of the last reconciliation."""

    last: Callable[[], datetime]
    delete_expired: Callable[[], None]
    reconcile: Callable[[Stop], object]
    clock: Callable[[], datetime] = utc_now
    _next: datetime | None = field(default=None, init=False)
    _owes_deletion: bool = field(default=False, init=False)

    def __call__(self, stop: Stop) -> bool:
        """Do the nightly work if a night has started since the last time. There is never more to do at
        once."""
        now = self.clock()
        if self._next is not None and now < self._next:
            return False
        night = last_night(now)
        is_due = self.last() < night
        parts: list[Callable[[], object]] = [self._delete] if is_due or self._owes_deletion else []
        run_all([*parts, partial(self.reconcile, stop)] if is_due else parts)
        self._next = night + timedelta(days=1)
        return False

    def _delete(self) -> None:
        self._owes_deletion = True
        self.delete_expired()
        self._owes_deletion = False


def last_night(now: datetime) -> datetime:
    """Return the time at which the current or last night started."""
    tonight = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return tonight if tonight <= now else tonight - timedelta(days=1)
