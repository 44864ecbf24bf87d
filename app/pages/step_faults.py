"""The last fault of each background step, stored so that all processes see it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select

from app.pages.bulk import INSERTS
from app.pages.database import Store, writing
from app.pages.refs import from_row
from app.pages.tables import step_faults

SHOWN: Final = timedelta(days=1)
"""Time for which a fault is reported; by then, nightly steps have run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFault:
    """The time at which a ``step`` broke, and the problem in one line."""

    step: str
    at: datetime
    problem: str


class StepFaults(Store):
    """The faults in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def note(self, step: str, problem: str) -> None:
        """Store a step's fault in place of its last one."""
        fault = {"step": step, "at": self._clock(), "problem": problem}
        with writing(self._engine) as connection:
            new = INSERTS[connection.dialect.name](step_faults).values(fault)
            connection.execute(new.on_conflict_do_update(index_elements=["step"], set_=fault))

    def recent(self) -> list[StepFault]:
        """Return the faults of the last day, by step."""
        since = self._clock() - SHOWN
        query = select(step_faults).where(step_faults.c.at > since).order_by(step_faults.c.step)
        return [from_row(StepFault, row) for row in self._rows(query)]
