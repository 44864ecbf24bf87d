"""Claims: workers share out the pages to be worked on, each page to one worker for a while.

The pages are rows of a table with the columns of a page reference, ``attempts``, ``claimed_by``,
``claimed_until`` and ``reason``: pages to be indexed, announced pages to be fetched, pages to be rebuilt.

* An attempt is counted before the work, so that a page that kills its worker is not tried for ever.
* A claim ends when its worker hands the page back, when the worker is known to be dead, or after a time.
* An attempt that has to wait for something else is not counted, unless the page itself may have broken it.

Claims skip rows that another transaction has locked. Every function works inside the caller's write
transaction; times are in UTC.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, bindparam, case, update

from app.pages.refs import AnyRow, bound, matches_bound
from app.pages.selection import choose
from app.pages.tables import EPOCH
from app.pages.types import Waiting
from app.pages.versions import execute_many
from ingest.types import PageRef


class HeldTable(Protocol):
    """A table whose rows workers hold for a while, by claims or leases."""

    def release_dead(self, connection: Connection, worker: str) -> None:
        """Free the rows held by a worker that died."""


MAX_ATTEMPTS: Final = 5
"""A page fails after this many attempts that ended with a worker's death."""

FREE: Final = {"claimed_by": None, "claimed_until": EPOCH}
"""The values of a page that nobody has claimed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClaimTable:
    """The claims in ``table``. ``next_attempt``: its column with the time from which a waiting page may be
    claimed."""

    table: Table
    next_attempt: Column[datetime]

    def is_free(self, now: datetime) -> ColumnElement[bool]:
        """The condition that a page can be claimed, provided that it has to be worked on."""
        return and_(self.next_attempt <= now, self.table.c.claimed_until <= now)

    def take(self, connection: Connection, refs: Sequence[PageRef], worker: str, until: datetime) -> None:
        """Claim pages that were selected as free and locked, and count the attempt."""
        held = {"claimed_by": worker, "claimed_until": until, "attempts": self.table.c.attempts + 1}
        taken = update(self.table).where(matches_bound(self.table)).values(held)
        execute_many(connection, taken, [bound(ref) for ref in refs])

    def waiting(self, outcome: Waiting, now: datetime) -> dict[str, Any]:
        """The values of a page that becomes due again after ``outcome.seconds``."""
        attempts = self.table.c.attempts
        uncounted = case((attempts > 0, attempts - 1), else_=0)
        return {
            self.next_attempt.name: now + timedelta(seconds=outcome.seconds),
            "attempts": attempts if outcome.counted else uncounted,
            "reason": outcome.reason,
        }

    def hand_back(self, connection: Connection, refs: Sequence[PageRef], worker: str, **values: Any) -> None:
        """End the claims of ``worker`` and set ``values``; skip pages whose claim has already ended."""
        held = update(self.table).where(
            matches_bound(self.table), self.table.c.claimed_by == bindparam("holder")
        )
        ended = held.values({**FREE, **values})
        execute_many(connection, ended, [bound(ref) | {"holder": worker} for ref in refs])

    def release_dead(self, connection: Connection, worker: str) -> None:
        """End every claim of a dead worker; its attempts stay counted."""
        connection.execute(update(self.table).where(self.table.c.claimed_by == worker).values(FREE))


def pick(
    due: Callable[[], Iterable[AnyRow]], fail: Callable[[Sequence[AnyRow]], None], max_attempts: int
) -> list[AnyRow]:
    """Choose the pages that one claim takes from those that are ``due``, most urgent first.

    ``fail`` is called with the pages that have used up their attempts, so that they are no longer due.
    """
    while True:
        selection = choose(due(), max_attempts)
        if selection.poisoned:
            fail(selection.poisoned)
        if selection.taken or not selection.poisoned:
            return selection.taken
