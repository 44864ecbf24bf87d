"""Leases: only one worker at a time may do something, until it releases the lease, dies, or fails to renew.

A lease is a row of a table with the columns ``worker`` and ``until``, named by its primary key: the building
of generations, the pull of a source, a rebuild. Each lease stays in the table of the thing leased, because
processes of two versions run side by side during an upgrade and must see each other's leases.

If two workers ask at once, one gets the lease, because the row is locked. Every method works inside the
caller's write transaction; times are in UTC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Table, select, true, update

from app.pages.database import Store

ALWAYS: Final = true()


class LeasedStore(Store):
    """A store whose rows workers hold for ``lease_seconds`` at a time, unless they renew them."""

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
        """Take a lease that nobody has or that has run out; with ``again``, also one that ``worker`` has.

        ``where``: a further condition on the row. Return True if ``worker`` has the lease now.
        """
        lease = select(self.table.c.worker, self.table.c.until).where(self._is_named(name), where)
        row = connection.execute(lease.with_for_update()).one_or_none()
        if row is None:
            return False
        # Compared here, not in SQL, because a damaged time is then loaded as one long ago.
        is_free = row.until is None or row.until <= now or (again and row.worker == worker)
        if is_free:
            taken = update(self.table).where(self._is_named(name))
            connection.execute(taken.values(worker=worker, until=until))
        return is_free

    def renew(
        self, connection: Connection, name: str | int, worker: str, until: datetime, **values: Any
    ) -> bool:
        """Extend a lease and set ``values``; return False if ``worker`` no longer has it."""
        return connection.execute(self._of(name, worker).values(until=until, **values)).rowcount > 0

    def release(self, connection: Connection, name: str | int, worker: str, **values: Any) -> bool:
        """Release a lease and set ``values``; return False if ``worker`` no longer has it."""
        return connection.execute(self._of(name, worker).values({**self.free, **values})).rowcount > 0

    def release_dead(self, connection: Connection, worker: str) -> None:
        """Release every lease of a dead worker."""
        held = update(self.table).where(self.table.c.worker == worker)
        connection.execute(held.values({**self.free, **self.dead}))

    def _is_named(self, name: str | int) -> ColumnElement[bool]:
        [key] = self.table.primary_key
        return key == name

    def _of(self, name: str | int, worker: str) -> Any:
        return update(self.table).where(self._is_named(name), self.table.c.worker == worker)
