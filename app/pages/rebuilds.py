"""The log of rebuilds through the queue: requests, progress, and claims of their pages.

One rebuild runs at a time. Its pages are claimed like those of the queue (:mod:`app.pages.claims`): the
attempt is counted before the work, and a dead worker's pages come back. :mod:`app.indexing.rebuild_queue`
decides what to do with them. Times are in UTC.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from secrets import token_hex
from typing import Any, Final, Literal

from sqlalchemy import Connection, and_, delete, func, insert, literal, select, text, update

from app.errors import ConflictError, NotFoundError
from app.pages.claims import FREE, MAX_ATTEMPTS, ClaimTable, pick
from app.pages.database import reading, writing
from app.pages.leases import LeasedStore, LeaseTable
from app.pages.refs import KEY, AnyRow, bound, from_row, is_same_page, matches_bound, ref_of
from app.pages.selection import fitting
from app.pages.tables import EPOCH, SERVED, bodies, pages, rebuild_pages, rebuilds
from app.pages.types import Failed, Indexed, Outcome
from app.pages.versions import execute_many, lock_sequence
from ingest.types import PageRef

RebuildState = Literal["queued", "running", "done", "needs_attention", "failed", "cancelled"]
ACTIVE: Final = ("queued", "running")
KEPT: Final = 20
"""Number of latest rebuilds that are kept."""

LEASES: Final = LeaseTable(table=rebuilds, free={"worker": None, "until": EPOCH})
CLAIMS: Final = ClaimTable(table=rebuild_pages, next_attempt=rebuild_pages.c.claimed_until)

_UNFINISHED: Final = text("NOT rebuild_pages.settled")
"""Written as in the table's index, because SQLite does not match SQLAlchemy's ``settled = 0`` to it."""
_NEWEST: Final = select(pages.c.sequence).where(is_same_page(pages, rebuild_pages)).scalar_subquery()
_POISON: Final = "every attempt to write it again crashed the worker: shorten or repair the page"
_URGENCY: Final = [rebuild_pages.c[name] for name in ("attempts", *KEY)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """One rebuild. ``source``: only its pages are written again, in place. ``written`` and ``failed``: how
    many of ``pages`` are done. ``reason``: what it waits for, or why it ended as it did, in one line.

    ``cancelled``: it is to end, and does so when a worker next handles it.
    """

    id: str
    source: str | None
    take_over: bool
    state: RebuildState
    cancelled: bool
    reason: str
    generation: int | None
    pages: int
    written: int
    failed: int
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def is_active(self) -> bool:
        """True until it has ended."""
        return self.state in ACTIVE

    @property
    def is_rollback(self) -> bool:
        """True if an earlier generation is to be live again, which one worker does alone."""
        return self.generation is not None and self.started_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """The outcome of writing a page at a sequence."""

    sequence: int
    outcome: Outcome


class RebuildLog(LeasedStore):
    """Rebuilds in ``engine``'s database. ``lease_seconds``: how long a worker may have one, or its pages."""

    def request(
        self, source: str | None = None, *, take_over: bool = False, generation: int | None = None
    ) -> Rebuild:
        """Request a rebuild, or, with an earlier ``generation``, a rollback to it. Raises ``ConflictError``
        while another rebuild is active."""
        now, rebuild_id = self._clock(), token_hex(8)
        values = {"id": rebuild_id, "source": source, "take_over": take_over, "generation": generation}
        with writing(self._engine) as connection:
            lock_sequence(connection)  # so that simultaneous requests wait for each other
            check_no_other(connection)
            connection.execute(insert(rebuilds).values(**values, state="queued", requested_at=now))
            _forget_old(connection)
        return self.get(rebuild_id)

    def active(self) -> Rebuild | None:
        """The active rebuild, without counting its pages, or None."""
        query = select(rebuilds).where(rebuilds.c.state.in_(ACTIVE))
        row = self._row(query)
        return None if row is None else _rebuild(row, {})

    def get(self, rebuild_id: str) -> Rebuild:
        """Return one rebuild. Raises ``NotFoundError``."""
        found = next((rebuild for rebuild in self.all() if rebuild.id == rebuild_id), None)
        if found is None:
            raise NotFoundError(
                "there is no rebuild with the id {name!r}, or it was long ago", name=rebuild_id
            )
        return found

    def all(self) -> list[Rebuild]:
        """The latest rebuilds, newest first."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(rebuilds).order_by(rebuilds.c.requested_at.desc())).all()
            counts = _counts(connection) if any(row.state == "running" for row in rows) else {}
        return [_rebuild(row, counts) for row in rows]

    def cancel(self, rebuild_id: str) -> None:
        """Request the end of a rebuild. Raises ``NotFoundError``, and ``ConflictError`` if it has ended."""
        if not self.get(rebuild_id).is_active:
            raise ConflictError("rebuild {name} has already ended", name=rebuild_id)
        self._update(rebuild_id, cancelled=True)

    def hold(self, rebuild_id: str, worker: str) -> bool:
        """Take the lease to start or end a rebuild; return False if another worker has it, or it has
        ended."""
        now, is_active = self._clock(), rebuilds.c.state.in_(ACTIVE)
        with writing(self._engine) as connection:
            return LEASES.hold(
                connection, rebuild_id, worker, now, now + self._lease, again=True, where=is_active
            )

    def renew(self, rebuild_id: str, worker: str) -> bool:
        """Extend the lease; return True if the rebuild is cancelled. Raises ``ConflictError`` if another
        worker has taken the lease."""
        with writing(self._engine) as connection:
            if not LEASES.renew(connection, rebuild_id, worker, self._clock() + self._lease):
                raise ConflictError("another worker has taken over this rebuild")
            found: bool = connection.execute(
                select(rebuilds.c.cancelled).where(rebuilds.c.id == rebuild_id)
            ).scalar_one()
        return found

    def release(self, rebuild_id: str, worker: str) -> None:
        """Release the lease, if ``worker`` has it."""
        with writing(self._engine) as connection:
            LEASES.release(connection, rebuild_id, worker)

    def note(self, rebuild_id: str, reason: str) -> None:
        """Record what the rebuild waits for; empty: nothing."""
        self._update(rebuild_id, reason=reason)

    def begin(self, rebuild_id: str, generation: int | None) -> int:
        """Start a rebuild: every served page has to be written to ``generation``; without one, only the pages
        of the rebuild's source, in place. Return how many there are."""
        with writing(self._engine) as connection:
            if generation is not None:
                connection.execute(delete(rebuild_pages))
                connection.execute(_insert_served())
                count = connection.execute(select(func.count()).select_from(rebuild_pages)).scalar_one()
            else:
                source = select(rebuilds.c.source).where(rebuilds.c.id == rebuild_id).scalar_subquery()
                of_source = and_(pages.c.source == source, ~pages.c.deleted)
                count = connection.execute(
                    select(func.count()).select_from(pages).where(of_source)
                ).scalar_one()
            values = {"state": "running", "generation": generation, "started_at": self._clock()}
            started = update(rebuilds).where(rebuilds.c.id == rebuild_id)
            connection.execute(started.values(**values, pages=count, reason=""))
        return count

    def claim(self, worker: str, limit: int) -> list[PageRef]:
        """Claim up to ``limit`` pages of limited total length. A page tried before comes alone, and fails
        when its attempts are used up."""
        now = self._clock()
        with writing(self._engine) as connection:
            due = pick(
                partial(_due, connection, now, limit), partial(_fail_poisoned, connection), MAX_ATTEMPTS
            )
            refs = [ref_of(row) for row in due[: fitting(row.size or 0 for row in due)]]
            CLAIMS.take(connection, refs, worker, now + self._lease)
        return refs

    def record(self, worker: str, results: Mapping[PageRef, AttemptResult]) -> None:
        """Record the outcomes of pages that ``worker`` has claimed, and end the claims."""
        now = self._clock()
        with writing(self._engine) as connection:
            lock_sequence(connection)
            for ref, result in results.items():
                values = _values(result.outcome, now)
                CLAIMS.hand_back(connection, [ref], worker, sequence=result.sequence, **values)

    def is_written(self) -> bool:
        """Return True if every page has been written or has failed."""
        left = select(rebuild_pages.c.id).where(_UNFINISHED).limit(1)
        with reading(self._engine) as connection:
            return connection.execute(left).one_or_none() is None

    def tried(self) -> dict[PageRef, AttemptResult]:
        """The outcomes of the pages that were written or have failed."""
        query = select(rebuild_pages).where(rebuild_pages.c.settled)
        return {ref_of(row): _attempt(row) for row in self._rows(query)}

    def finish(
        self, rebuild_id: str, state: RebuildState, reason: str = "", *, written: int = 0, failed: int = 0
    ) -> None:
        """End a rebuild, unless it has already ended."""
        how = {"state": state, "reason": reason, "finished_at": self._clock()}
        values = {**how, **LEASES.free, "written": written, "failed": failed}
        with writing(self._engine) as connection:
            lock_sequence(connection)
            ended_now = update(rebuilds).where(rebuilds.c.id == rebuild_id, rebuilds.c.state.in_(ACTIVE))
            if connection.execute(ended_now.values(values)).rowcount:
                connection.execute(delete(rebuild_pages))

    def _update(self, rebuild_id: str, **values: object) -> None:
        with writing(self._engine) as connection:
            connection.execute(update(rebuilds).where(rebuilds.c.id == rebuild_id).values(**values))


def check_no_other(connection: Connection, builder: str = "") -> bool:
    """Raise ``ConflictError`` if a rebuild other than ``builder`` is active; return True if ``builder``
    is."""
    row = connection.execute(select(rebuilds).where(rebuilds.c.state.in_(ACTIVE))).one_or_none()
    if row is not None and row.id != builder:
        raise ConflictError(
            "rebuild {name} has been under way in the queue since {when:%Y-%m-%d %H:%M:%S} UTC: wait until "
            "it is done (`auskunft status`), or cancel it with `auskunft reindex --cancel`",
            name=row.id,
            when=row.requested_at,
        )
    return row is not None


def _forget_old(connection: Connection) -> None:
    newest = select(rebuilds.c.id).order_by(rebuilds.c.requested_at.desc()).limit(KEPT)
    connection.execute(delete(rebuilds).where(rebuilds.c.id.not_in(newest)))


def _insert_served() -> Any:
    """Insert every page that an index is to serve, except those that kill workers."""
    is_poison = and_(pages.c.settled_sequence == pages.c.sequence, pages.c.reason == "poison")
    fixed = (0, False, 0, EPOCH, "", "")
    names = ("sequence", "settled", "attempts", "claimed_until", "reason", "message")
    values = [literal(value, rebuild_pages.c[name].type) for name, value in zip(names, fixed, strict=True)]
    served = select(*(pages.c[name] for name in KEY), *values).where(SERVED, ~is_poison)
    return insert(rebuild_pages).from_select([*KEY, *names], served, include_defaults=False)


def _fail_poisoned(connection: Connection, rows: Sequence[AnyRow]) -> None:
    failed = {"settled": True, "reason": "poison", "message": _POISON, "sequence": _NEWEST}
    poisoned = update(rebuild_pages).where(matches_bound(rebuild_pages)).values({**FREE, **failed})
    execute_many(connection, poisoned, [bound(ref_of(row)) for row in rows])


def _due(connection: Connection, now: datetime, limit: int) -> Sequence[AnyRow]:
    """Due pages in order of urgency, each with its ``size`` in characters and the same ``priority``."""
    query = (
        select(rebuild_pages, func.length(bodies.c.body).label("size"), literal(0).label("priority"))
        .outerjoin_from(rebuild_pages, bodies, is_same_page(rebuild_pages, bodies))
        .where(_UNFINISHED, CLAIMS.is_free(now))
        .order_by(*_URGENCY)
        .limit(limit)
    )
    return connection.execute(query.with_for_update(skip_locked=True, of=rebuild_pages)).all()


def _counts(connection: Connection) -> dict[bool, int]:
    """Count the settled pages: under True those that failed, under False the others."""
    failed = (rebuild_pages.c.reason != "").label("has_failed")
    query = select(failed, func.count().label("pages")).where(rebuild_pages.c.settled).group_by(failed)
    return {bool(row.has_failed): row.pages for row in connection.execute(query)}


def _rebuild(row: AnyRow, counts: Mapping[bool, int]) -> Rebuild:
    if row.state != "running":
        return from_row(Rebuild, row)
    return from_row(Rebuild, row, written=counts.get(False, 0), failed=counts.get(True, 0))


def _attempt(row: AnyRow) -> AttemptResult:
    outcome = Failed(reason=row.reason, message=row.message) if row.reason else Indexed()
    return AttemptResult(sequence=row.sequence, outcome=outcome)


def _values(outcome: Outcome, now: datetime) -> dict[str, Any]:
    match outcome:
        case Indexed():
            return {"settled": True, "reason": "", "message": ""}
        case Failed(reason=reason, message=message):
            return {"settled": True, "reason": reason, "message": message}
    return CLAIMS.waiting(outcome, now)
