"""Leases: what one worker at a time may do, until it releases the lease, dies, or does not renew it in time.

A lease is a row of a table with the columns ``worker`` and ``until``, named by its primary key: the building
of generations, the pull of a source, a rebuild. It stays in the table of what is leased, because processes of
two versions run side by side during an upgrade, and must see each other's leases.

Of two workers that ask at once, one gets the lease: the row is locked. Every method works inside the caller's
write transaction; times are in UTC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Table, select, true, update

from app.pages.database import Store

ALWAYS: Final = true()


class LeasedStore(Store):
    """A store whose rows workers hold, each for ``lease_seconds`` unless they renew it."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime], lease_seconds: float = 300) -> None:
        super().__init__(engine, clock)
        self._lease = timedelta(seconds=lease_seconds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaseTable:
    """The leases in ``table``. ``free``: the values of a row that nobody has. ``dead``: further values for a
    row whose worker died."""

    table: Table
    free: Mapping[str, Any]
    dead: Mapping[str, Any] = field(default_factory=dict)

    def hold(
        self,
        connection: Connection,
        name: str | int,
        worker: str,
        now: datetime,
        until: datetime,
        *,
        again: bool = False,
        where: ColumnElement[bool] = ALWAYS,
    ) -> bool:
        """Take a lease that nobody has or that has run out; ``again``: also one that ``worker`` has.

        ``where``: a further condition on the row. True if ``worker`` has the lease now.
        """
        lease = select(self.table.c.worker, self.table.c.until).where(self._is_named(name), where)
        row = connection.execute(lease.with_for_update()).one_or_none()
        if row is None:
            return False
        # Compared here, not in SQL: a time that is damaged reads as one long ago.
        is_free = row.until is None or row.until <= now or (again and row.worker == worker)
        if is_free:
            taken = update(self.table).where(self._is_named(name))
            connection.execute(taken.values(worker=worker, until=until))
        return is_free

    def renew(
        self, connection: Connection, name: str | int, worker: str, until: datetime, **values: Any
    ) -> bool:
        """Hold a lease for another while and set ``values``; False if ``worker`` has it no more."""
        return connection.execute(self._of(name, worker).values(until=until, **values)).rowcount > 0

    def release(self, connection: Connection, name: str | int, worker: str, **values: Any) -> bool:
        """Give a lease up and set ``values``; False if ``worker`` does not have it any more."""
        return connection.execute(self._of(name, worker).values({**self.free, **values})).rowcount > 0

    def release_dead(self, connection: Connection, worker: str) -> None:
        """Give up every lease of a worker that died."""
        held = update(self.table).where(self.table.c.worker == worker)
        connection.execute(held.values({**self.free, **self.dead}))

    def _is_named(self, name: str | int) -> ColumnElement[bool]:
        [key] = self.table.primary_key
        return key == name

    def _of(self, name: str | int, worker: str) -> Any:
        return update(self.table).where(self._is_named(name), self.table.c.worker == worker)
