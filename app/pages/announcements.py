"""Announced pages that have to be fetched: who fetches them, and what comes of it. A queue as that of pages
(:mod:`app.pages.claims`), with one difference: of a source, one page is fetched at a time, so that a slow
server keeps one worker busy, not all. How entries come in stands in :mod:`app.pages.announcing`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, delete, func, insert, select, update

from app.pages import announcing, intake, jobs
from app.pages import counters as tallies
from app.pages.database import Database, open_engine, reading, writing
from app.pages.refs import AnyRow, ref_of
from app.pages.tables import EPOCH, announcements, rejected
from app.pages.types import AnnouncementClaim, Failed, PageRow, PageState, Waiting
from app.pages.versions import lock_sequence
from ingest.types import PageRef, RawPage, Save

_FREE: Final = {"claimed_by": None, "claimed_until": EPOCH}
_POISON: Final = Failed(reason="poison", message="every attempt to fetch it ended with the worker's death")


class Announcements:
    """The queue in ``database``; ``lease_seconds``: how long a worker may hold an entry."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        max_attempts: int = 5,
        lease_seconds: float = 300,
    ) -> None:
        self._engine = open_engine(database)
        self._clock = clock
        self._max_attempts = max_attempts
        self._lease = timedelta(seconds=lease_seconds)

    def claim(self, worker: str) -> AnnouncementClaim | None:
        """Take the most urgent page that is due and count the attempt; ``None`` if none is. One that has used
        up its attempts fails instead."""
        while claim := self._claim(worker):
            if claim.attempts <= self._max_attempts:
                return claim
            self.fail(claim, _POISON, worker)
        return None

    def is_due(self) -> bool:
        """Whether a page can be claimed now."""
        with reading(self._engine) as connection:
            return connection.execute(_due(self._clock())).one_or_none() is not None

    def rows(self, source: str | None = None) -> list[PageRow]:
        """The pages that have to be fetched, by source, id and language, without what is known of them."""
        key = announcements.c.source, announcements.c.id, announcements.c.language
        query = select(announcements).order_by(*key)
        if source is not None:
            query = query.where(announcements.c.source == source)
        with reading(self._engine) as connection:
            return [_awaited(entry, _unknown(ref_of(entry))) for entry in connection.execute(query)]

    def _claim(self, worker: str) -> AnnouncementClaim | None:
        if not self.is_due():  # which takes no lock
            return None
        now = self._clock()
        with writing(self._engine) as connection:
            query = _due(now).with_for_update(skip_locked=True, of=announcements)
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            held = {"claimed_by": worker, "claimed_until": now + self._lease}
            _change(connection, ref_of(row), **held, attempts=row.attempts + 1)
            return _claim(row)

    def accept(self, claim: AnnouncementClaim, page: RawPage, worker: str) -> None:
        """Take in what was fetched, unless ``worker`` does not hold the entry any more: then a newer message
        counts. A page announced again meanwhile is due at once."""
        incoming = intake.prepare(Save(page=page, republish=claim.republish))
        with writing(self._engine) as connection:
            row = _held(connection, claim.ref, worker)
            if row is None:
                return
            [accepted] = intake.accept(connection, [incoming], claim.priority, row.announced_at)
            _forget_failure(connection, claim.ref)
            if row.arrivals == claim.arrivals:
                announcing.end(connection, accepted, self._clock())
            else:
                _change(connection, claim.ref, **_FREE, attempts=0)

    def fail(self, claim: AnnouncementClaim, outcome: Failed, worker: str) -> None:
        """Give the page up, with its jobs, unless it was announced again meanwhile. What is known of it
        stays."""
        with writing(self._engine) as connection:
            row = _held(connection, claim.ref, worker)
            if row is not None and row.arrivals == claim.arrivals:
                _fail(connection, claim.ref, outcome, self._clock())
            elif row is not None:
                _change(connection, claim.ref, **_FREE)

    def wait(
        self, claim: AnnouncementClaim, outcome: Waiting, worker: str, *, whole_source: bool = False
    ) -> None:
        """Try later; the attempt does not count. ``whole_source``: the same holds for all its pages."""
        later = self._clock() + timedelta(seconds=outcome.seconds)
        with writing(self._engine) as connection:
            row = _held(connection, claim.ref, worker)
            if row is None:
                return
            again = row.arrivals != claim.arrivals
            moment = {} if again else {"next_attempt_at": later, "reason": outcome.reason}
            _change(connection, claim.ref, **_FREE, **moment, attempts=max(0, row.attempts - 1))
            if whole_source:
                others = update(announcements).where(
                    announcements.c.source == claim.ref.source, announcements.c.next_attempt_at < later
                )
                connection.execute(others.values(next_attempt_at=later, reason=outcome.reason))


def release(connection: Connection, worker: str) -> None:
    """Give back what ``worker`` holds, inside the caller's transaction, which has locked the counter."""
    connection.execute(update(announcements).where(announcements.c.claimed_by == worker).values(_FREE))


def count(connection: Connection) -> int:
    """How many pages have to be fetched: due, waiting or claimed."""
    return connection.execute(select(func.count()).select_from(announcements)).scalar_one()


def shown(connection: Connection, source: str, page_id: str, rows: list[PageRow]) -> list[PageRow]:
    """``rows`` of a page by language, where a newer version is to be fetched as such; and its languages of
    which nothing is known yet."""
    query = select(announcements).where(announcements.c.source == source, announcements.c.id == page_id)
    known = {row.ref.language: row for row in rows}
    for entry in connection.execute(query):
        known[entry.language] = _awaited(entry, known.get(entry.language) or _unknown(ref_of(entry)))
    return [known[language] for language in sorted(known)]


def document_of(ref: PageRef) -> str:
    """The page's name among the documents that could not be read."""
    return f"{ref.id} ({ref.language})"


def _due(now: datetime) -> Select[Any]:
    """The most urgent one that is due."""
    held = announcements.alias()
    busy = select(held.c.source).where(held.c.claimed_until > now)
    urgency = (announcements.c.priority.desc(), announcements.c.attempts, announcements.c.announced_at)
    return (
        select(announcements)
        .where(announcements.c.next_attempt_at <= now, announcements.c.claimed_until <= now)
        .where(announcements.c.source.not_in(busy))
        .order_by(*urgency, announcements.c.id, announcements.c.language)
        .limit(1)
    )


def _held(connection: Connection, ref: PageRef, worker: str) -> AnyRow | None:
    """The entry, if ``worker`` holds it. Locks the counter first, as acceptance does."""
    lock_sequence(connection)
    query = select(announcements).where(_is(ref), announcements.c.claimed_by == worker)
    return connection.execute(query.with_for_update()).one_or_none()


def _fail(connection: Connection, ref: PageRef, outcome: Failed, now: datetime) -> None:
    connection.execute(delete(announcements).where(_is(ref)))
    jobs.fail(connection, ref, outcome, now)
    _forget_failure(connection, ref)
    said = {"reason": outcome.reason, "message": outcome.message, "at": now}
    connection.execute(insert(rejected).values(source=ref.source, document=document_of(ref), **said))
    tallies.add(connection, {(tallies.FAILED, ref.source, outcome.reason): 1})


def _forget_failure(connection: Connection, ref: PageRef) -> None:
    same = and_(rejected.c.source == ref.source, rejected.c.document == document_of(ref))
    connection.execute(delete(rejected).where(same))


def _change(connection: Connection, ref: PageRef, **values: Any) -> None:
    connection.execute(update(announcements).where(_is(ref)).values(values))


def _is(ref: PageRef) -> Any:
    return and_(
        announcements.c.source == ref.source,
        announcements.c.id == ref.id,
        announcements.c.language == ref.language,
    )


def _claim(row: AnyRow) -> AnnouncementClaim:
    return AnnouncementClaim(
        ref=ref_of(row),
        revision=row.revision,
        republish=row.republish,
        announced_at=row.announced_at,
        arrivals=row.arrivals,
        attempts=row.attempts + 1,
        priority=row.priority,
    )


def _awaited(entry: AnyRow, row: PageRow) -> PageRow:
    state: PageState = "waiting" if entry.reason else "pending"
    return replace(row, state=state, reason=entry.reason)


def _unknown(ref: PageRef) -> PageRow:
    return PageRow(
        ref=ref,
        document=ref.id,
        url="",
        title="",
        state="pending",
        reason="",
        sequence=0,
        indexed_at=None,
    )
