"""Leases: what one worker at a time may do, until it releases the lease, dies, or does not renew it in time.

A lease is a row of a table with the columns ``worker`` and ``until``, named by its primary key: the building
of generations, the pull of a source, a rebuild. It stays in the table of what is leased, because processes of
two versions run side by side during an upgrade, and must see each other's leases.

Each method is one statement, so of two workers that ask at once one gets the lease, on every database. It
works inside the caller's write transaction; times are in UTC.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, or_, true, update

ALWAYS: Final = true()


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
        own = [self.table.c.worker == worker] if again else []
        is_free = or_(self.table.c.until.is_(None), self.table.c.until <= now, *own)
        taken = update(self.table).where(self._is_named(name), is_free, where)
        return connection.execute(taken.values(worker=worker, until=until)).rowcount > 0

    def renew(self, connection: Connection, name: str | int, worker: str, until: datetime) -> bool:
        """Hold a lease for another while; False if ``worker`` does not have it any more."""
        return connection.execute(self._of(name, worker).values(until=until)).rowcount > 0

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
