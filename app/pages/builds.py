"""The build lease: one builder of index generations at a time, across all processes."""

from typing import Final

from sqlalchemy import Connection, select, update

from app.errors import ConflictError
from app.pages import rebuilds
from app.pages.bulk import insert_new
from app.pages.database import writing
from app.pages.leases import LeasedStore, LeaseTable
from app.pages.refs import AnyRow
from app.pages.tables import EPOCH, builds
from app.pages.types import Build
from app.pages.versions import lock_sequence

SLOT: Final = 1
_FREE: Final = {"worker": "", "until": EPOCH, "generation": None}
LEASES: Final = LeaseTable(table=builds, free=_FREE)


class Builds(LeasedStore):
    """The build lease in ``engine``'s database. ``lease_seconds``: how long a builder may be silent.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def begin(self, worker: str) -> None:
        """Become the only builder of index generations. Raises ``ConflictError`` while there is another.

        A rebuild through the queue builds under its own id, and may begin again; no other builder may begin
        while it is active.
        """
        now = self._clock()
        with writing(self._engine) as connection:
            lock_sequence(connection)  # so that no rebuild is requested meanwhile
            again = rebuilds.check_no_other(connection, worker)
            insert_new(connection, builds, [{"slot": SLOT, "since": now, **_FREE}], {})
            if not LEASES.hold(connection, SLOT, worker, now, now + self._lease, again=again):
                raise ConflictError(_refusal(_build(connection.execute(select(builds)).one())))
            connection.execute(update(builds).values(since=now, generation=None))

    def set_generation(self, worker: str, generation: int) -> None:
        """Set the generation that ``worker`` builds: it is the target of every claim from now on."""
        held = update(builds).where(builds.c.worker == worker)
        with writing(self._engine) as connection:
            connection.execute(held.values(generation=generation))

    def renew(self, worker: str) -> bool:
        """Extend the build lease; return False if another builder has taken it."""
        with writing(self._engine) as connection:
            return LEASES.renew(connection, SLOT, worker, self._clock() + self._lease)

    def end(self, worker: str) -> None:
        """Release the build lease, if ``worker`` has it."""
        with writing(self._engine) as connection:
            LEASES.release(connection, SLOT, worker)

    def current(self) -> Build | None:
        """The build in progress; None if there is none, or if the builder's lease has run out."""
        found = self.unfinished()
        return found if found is not None and found.until > self._clock() else None

    def unfinished(self) -> Build | None:
        """The build that has not ended, even if its builder's lease has run out; None if there is none."""
        query = select(builds).where(builds.c.worker != "")
        row = self._row(query)
        return None if row is None else _build(row)


def target(connection: Connection) -> int | None:
    """The generation being built, or None."""
    number: int | None = connection.execute(select(builds.c.generation)).scalar_one_or_none()
    return number


def _build(row: AnyRow) -> Build:
    return Build(worker=row.worker, since=row.since, until=row.until, generation=row.generation)


def _refusal(running: Build) -> str:
    named = f"generation {running.generation} has been under construction"
    what = named if running.generation is not None else "an index has been under construction or reconciled"
    return (
        f"{what} since {running.since:%Y-%m-%d %H:%M:%S} UTC: wait until that is done "
        f"(if its process is gone, until {running.until:%H:%M:%S} UTC)"
    )
