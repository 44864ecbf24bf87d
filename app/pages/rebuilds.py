"""Rebuilds of the index through the queue: what was asked for, how far it is, who works on which pages.

One rebuild at a time. Its pages are claimed like those of the queue (:mod:`app.pages.claims`): the attempt is
counted before the work, and a dead worker's pages come back. What is done with them,
:mod:`app.indexing.rebuild_queue` decides. Times are in UTC.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, Final, Literal

from sqlalchemy import (
    Connection,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)

from app.errors import ConflictError, NotFoundError
from app.pages.database import Database, open_engine, reading, writing
from app.pages.refs import AnyRow, bound, is_bound, ref_of
from app.pages.selection import choose, fitting
from app.pages.tables import EPOCH, bodies, pages, rebuild_pages, rebuilds
from app.pages.types import Failed, Indexed, Outcome, Waiting
from app.pages.versions import execute_many, lock_sequence
from ingest.types import PageRef

RebuildState = Literal["queued", "running", "done", "needs_attention", "failed", "cancelled"]
ACTIVE: Final = ("queued", "running")
KEPT: Final = 20
"""How many rebuilds that have ended can still be asked for."""

_FREE: Final = {"claimed_by": None, "claimed_until": EPOCH}
_LEFT: Final = text("NOT rebuild_pages.settled")
"""As the index has it: to SQLite ``settled = 0``, which SQLAlchemy would write, is another condition."""
_SAME_PAGE: Final = and_(
    bodies.c.source == rebuild_pages.c.source,
    bodies.c.id == rebuild_pages.c.id,
    bodies.c.language == rebuild_pages.c.language,
)
_NEWEST: Final = (
    select(pages.c.sequence)
    .where(
        pages.c.source == rebuild_pages.c.source,
        pages.c.id == rebuild_pages.c.id,
        pages.c.language == rebuild_pages.c.language,
    )
    .scalar_subquery()
)
_POISON: Final = "every attempt to write it anew ended with the worker's death: shorten or repair the page"
_BY_URGENCY: Final = (
    rebuild_pages.c.attempts,
    rebuild_pages.c.source,
    rebuild_pages.c.id,
    rebuild_pages.c.language,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """One rebuild. ``source``: only its pages are written again, in place. ``written`` and ``failed`` of
    ``pages`` are done. ``reason``: what it waits for, or why it ended as it did, in one line.

    ``cancelled``: it is to end, and does when somebody works on it next.
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
        """Whether it has not ended."""
        return self.state in ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """What came of a page at a sequence."""

    sequence: int
    outcome: Outcome


class RebuildLog:
    """Rebuilds in ``database``; ``lease_seconds``: how long a worker may hold one or its pages."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        lease_seconds: float = 300,
        max_attempts: int = 5,
    ) -> None:
        self._engine = open_engine(database)
        self._clock = clock
        self._lease = timedelta(seconds=lease_seconds)
        self._max_attempts = max_attempts

    def request(self, source: str | None = None, *, take_over: bool = False) -> Rebuild:
        """Ask for a rebuild. Raises ``ConflictError`` while another is under way."""
        now, rebuild_id = self._clock(), token_hex(8)
        values = {"id": rebuild_id, "source": source, "take_over": take_over}
        with writing(self._engine) as connection:
            lock_sequence(connection)  # so that two that ask at once come one after the other
            refuse_beside(connection)
            connection.execute(insert(rebuilds).values(**values, state="queued", requested_at=now))
            _forget_old(connection)
        return self.get(rebuild_id)

    def active(self) -> Rebuild | None:
        """The one under way, without counting its pages."""
        query = select(rebuilds).where(rebuilds.c.state.in_(ACTIVE))
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _rebuild(row, {})

    def get(self, rebuild_id: str) -> Rebuild:
        """One rebuild. Raises ``NotFoundError``."""
        found = next((rebuild for rebuild in self.all() if rebuild.id == rebuild_id), None)
        if found is None:
            raise NotFoundError(f"no rebuild has the id {rebuild_id!r}, or it was one of long ago")
        return found

    def all(self) -> list[Rebuild]:
        """The last ones, newest first."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(rebuilds).order_by(rebuilds.c.requested_at.desc())).all()
            counts = _counts(connection) if any(row.state == "running" for row in rows) else {}
        return [_rebuild(row, counts) for row in rows]

    def cancel(self, rebuild_id: str) -> None:
        """Let it end. Raises ``NotFoundError``, and ``ConflictError`` if it has ended."""
        if not self.get(rebuild_id).is_active:
            raise ConflictError(f"rebuild {rebuild_id} has ended already")
        self._update(rebuild_id, cancelled=True)

    def hold(self, rebuild_id: str, worker: str) -> bool:
        """Become the one who begins or ends it; ``False`` while another is, or where it has ended."""
        now = self._clock()
        is_free = or_(rebuilds.c.worker == worker, rebuilds.c.until <= now)
        held = update(rebuilds).where(rebuilds.c.id == rebuild_id, rebuilds.c.state.in_(ACTIVE), is_free)
        with writing(self._engine) as connection:
            return connection.execute(held.values(worker=worker, until=now + self._lease)).rowcount > 0

    def renew(self, rebuild_id: str, worker: str) -> None:
        """Hold it for another while. Raises ``ConflictError`` if another worker has taken it."""
        held = update(rebuilds).where(rebuilds.c.id == rebuild_id, rebuilds.c.worker == worker)
        with writing(self._engine) as connection:
            if not connection.execute(held.values(until=self._clock() + self._lease)).rowcount:
                raise ConflictError("another worker has gone on with this rebuild meanwhile")

    def let_go(self, rebuild_id: str, worker: str) -> None:
        """Let others begin or end it, if ``worker`` has it."""
        held = update(rebuilds).where(rebuilds.c.id == rebuild_id, rebuilds.c.worker == worker)
        with writing(self._engine) as connection:
            connection.execute(held.values(worker=None, until=EPOCH))

    def note(self, rebuild_id: str, reason: str) -> None:
        """Say what it waits for; nothing: empty."""
        self._update(rebuild_id, reason=reason)

    def begin(self, rebuild_id: str, generation: int | None) -> int:
        """Every page that is served has to be written to ``generation``, or, without, the pages that are due
        of its source; how many these are."""
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
            begun = update(rebuilds).where(rebuilds.c.id == rebuild_id)
            connection.execute(begun.values(**values, pages=count, reason=""))
        return count

    def claim(self, worker: str, limit: int) -> list[PageRef]:
        """Take up to ``limit`` pages that are not too long together; the attempt is counted. A page tried
        before comes alone, and fails when its attempts are used up."""
        now = self._clock()
        with writing(self._engine) as connection:
            selection = choose(_due(connection, now, limit), self._max_attempts)
            poisoned = {**_FREE, "settled": True, "reason": "poison", "message": _POISON, "sequence": _NEWEST}
            execute_many(
                connection, _update().values(poisoned), [bound(ref_of(row)) for row in selection.poisoned]
            )
            taken = selection.taken[: fitting(row.size or 0 for row in selection.taken)]
            held = {"claimed_by": worker, "claimed_until": now + self._lease}
            counted = {**held, "attempts": rebuild_pages.c.attempts + 1}
            refs = [ref_of(row) for row in taken]
            execute_many(connection, _update().values(counted), [bound(ref) for ref in refs])
        return refs

    def settle(self, worker: str, outcomes: Mapping[PageRef, AttemptResult]) -> None:
        """Record what came of pages that ``worker`` holds; those that wait come back after their time."""
        now = self._clock()
        rows = [bound(ref) | _settled(tried, now) for ref, tried in outcomes.items()]
        attempts = case(
            (bindparam("is_counted"), rebuild_pages.c.attempts), else_=rebuild_pages.c.attempts - 1
        )
        values: dict[str, Any] = {
            "sequence": bindparam("known"),
            "settled": bindparam("is_done"),
            "reason": bindparam("why"),
            "message": bindparam("said"),
            "claimed_by": None,
            "claimed_until": bindparam("free_at"),
            "attempts": attempts,
        }
        statement = _update().where(rebuild_pages.c.claimed_by == worker).values(values)
        with writing(self._engine) as connection:
            lock_sequence(connection)
            execute_many(connection, statement, rows)

    def is_written(self) -> bool:
        """Whether no page is left that has to be written."""
        left = select(rebuild_pages.c.id).where(_LEFT).limit(1)
        with reading(self._engine) as connection:
            return connection.execute(left).one_or_none() is None

    def tried(self) -> dict[PageRef, AttemptResult]:
        """What came of the pages that were written, or could not be."""
        query = select(rebuild_pages).where(rebuild_pages.c.settled)
        with reading(self._engine) as connection:
            return {ref_of(row): _tried(row) for row in connection.execute(query)}

    def finish(
        self, rebuild_id: str, state: RebuildState, reason: str = "", *, written: int = 0, failed: int = 0
    ) -> None:
        """It has ended, unless it had before."""
        how = {"state": state, "reason": reason, "finished_at": self._clock()}
        values = {**how, "written": written, "failed": failed, "worker": None, "until": EPOCH}
        with writing(self._engine) as connection:
            lock_sequence(connection)
            ended_now = update(rebuilds).where(rebuilds.c.id == rebuild_id, rebuilds.c.state.in_(ACTIVE))
            if connection.execute(ended_now.values(values)).rowcount:
                connection.execute(delete(rebuild_pages))

    def _update(self, rebuild_id: str, **values: object) -> None:
        with writing(self._engine) as connection:
            connection.execute(update(rebuilds).where(rebuilds.c.id == rebuild_id).values(**values))


def refuse_beside(connection: Connection, builder: str = "") -> bool:
    """Whether ``builder`` is the rebuild under way. Raises ``ConflictError`` where another is."""
    row = connection.execute(select(rebuilds).where(rebuilds.c.state.in_(ACTIVE))).one_or_none()
    if row is not None and row.id != builder:
        raise ConflictError(
            f"rebuild {row.id} has been under way in the queue since "
            f"{row.requested_at:%Y-%m-%d %H:%M:%S} UTC: wait until it is done (`auskunft status`), or end it "
            "by `auskunft reindex --cancel`"
        )
    return row is not None


def end(connection: Connection, worker: str) -> None:
    """Give back what a dead worker held, inside the caller's transaction."""
    connection.execute(update(rebuild_pages).where(rebuild_pages.c.claimed_by == worker).values(_FREE))
    connection.execute(update(rebuilds).where(rebuilds.c.worker == worker).values(worker=None, until=EPOCH))


def _forget_old(connection: Connection) -> None:
    newest = select(rebuilds.c.id).order_by(rebuilds.c.requested_at.desc()).limit(KEPT)
    connection.execute(delete(rebuilds).where(rebuilds.c.id.not_in(newest)))


def _insert_served() -> Any:
    """Every page that an index is to serve, but those that kill workers."""
    is_poison = and_(pages.c.settled_sequence == pages.c.sequence, pages.c.reason == "poison")
    fixed = (0, False, 0, EPOCH, "", "")
    names = ("sequence", "settled", "attempts", "claimed_until", "reason", "message")
    values = [literal(value, rebuild_pages.c[name].type) for name, value in zip(names, fixed, strict=True)]
    columns = ("source", "id", "language")
    served = select(*(pages.c[name] for name in columns), *values).where(
        ~pages.c.deleted, ~pages.c.excluded, ~is_poison
    )
    return insert(rebuild_pages).from_select([*columns, *names], served, include_defaults=False)


def _due(connection: Connection, now: datetime, limit: int) -> Sequence[AnyRow]:
    """In order of urgency, each with the length of its ``size`` in characters and one ``priority``."""
    query = (
        select(rebuild_pages, func.length(bodies.c.body).label("size"), literal(0).label("priority"))
        .outerjoin_from(rebuild_pages, bodies, _SAME_PAGE)
        .where(_LEFT, rebuild_pages.c.claimed_until <= now)
        .order_by(*_BY_URGENCY)
        .limit(limit)
    )
    return connection.execute(query.with_for_update(skip_locked=True, of=rebuild_pages)).all()


def _counts(connection: Connection) -> dict[bool, int]:
    """How many pages are written, by whether they failed."""
    failed = (rebuild_pages.c.reason != "").label("has_failed")
    query = select(failed, func.count().label("pages")).where(rebuild_pages.c.settled).group_by(failed)
    return {bool(row.has_failed): row.pages for row in connection.execute(query)}


def _rebuild(row: AnyRow, counts: Mapping[bool, int]) -> Rebuild:
    values = {name: getattr(row, name) for name in Rebuild.__slots__}
    if row.state == "running":
        values |= {"written": counts.get(False, 0), "failed": counts.get(True, 0)}
    return Rebuild(**values)


def _tried(row: AnyRow) -> AttemptResult:
    outcome = Failed(reason=row.reason, message=row.message) if row.reason else Indexed()
    return AttemptResult(sequence=row.sequence, outcome=outcome)


def _settled(tried: AttemptResult, now: datetime) -> dict[str, Any]:
    match tried.outcome:
        case Indexed():
            values = {"is_done": True, "why": "", "said": "", "free_at": EPOCH}
        case Failed(reason=reason, message=message):
            values = {"is_done": True, "why": reason, "said": message, "free_at": EPOCH}
        case waiting:
            free_at = now + timedelta(seconds=waiting.seconds)
            values = {"is_done": False, "why": "", "said": "", "free_at": free_at}
    is_counted = not isinstance(tried.outcome, Waiting) or tried.outcome.counted
    return values | {"known": tried.sequence, "is_counted": is_counted}


def _update() -> Any:
    return update(rebuild_pages).where(is_bound(rebuild_pages))
