"""The build lease: one builder of index generations at a time, wherever it runs.

Every function works inside the caller's transaction; ``now`` is in UTC.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from app.errors import ConflictError
from app.pages import rebuilds
from app.pages.refs import AnyRow
from app.pages.tables import builds
from app.pages.types import Build
from app.pages.versions import lock_sequence


def begin(connection: Connection, worker: str, now: datetime, lease: timedelta) -> None:
    """Take the lease, or the place of a builder whose lease has run out. Raises ``ConflictError``.

    A rebuild through the queue builds under its own id, and may begin again; nobody else does meanwhile.
    """
    lock_sequence(connection)  # so that two that begin at once come one after the other
    is_again = rebuilds.refuse_beside(connection, worker)
    running = _build(connection.execute(select(builds).with_for_update()).one_or_none())
    if running is not None and running.until > now and not (is_again and running.worker == worker):
        raise ConflictError(_refusal(running))
    connection.execute(delete(builds))
    connection.execute(insert(builds).values(slot=1, worker=worker, since=now, until=now + lease))


def set_generation(connection: Connection, worker: str, generation: int) -> None:
    """Name what is being built: the target of every claim from now on."""
    connection.execute(update(builds).where(builds.c.worker == worker).values(generation=generation))


def renew(connection: Connection, worker: str, until: datetime) -> bool:
    """Hold the lease until then; whether ``worker`` still has it."""
    held = update(builds).where(builds.c.worker == worker)
    return connection.execute(held.values(until=until)).rowcount > 0


def end(connection: Connection, worker: str) -> None:
    """Give the lease up, if ``worker`` has it."""
    connection.execute(delete(builds).where(builds.c.worker == worker))


def current(connection: Connection) -> Build | None:
    """The build that holds the lease, or held it last."""
    return _build(connection.execute(select(builds)).one_or_none())


def target(connection: Connection) -> int | None:
    """The generation being built."""
    number: int | None = connection.execute(select(builds.c.generation)).scalar_one_or_none()
    return number


def _build(row: AnyRow | None) -> Build | None:
    if row is None:
        return None
    return Build(worker=row.worker, since=row.since, until=row.until, generation=row.generation)


def _refusal(running: Build) -> str:
    named = f"generation {running.generation} has been in the making"
    what = named if running.generation is not None else "an index has been in the making or reconciled"
    return (
        f"{what} since {running.since:%Y-%m-%d %H:%M:%S} UTC: wait until that is done "
        f"(if its process is gone, until {running.until:%H:%M:%S} UTC)"
    )
