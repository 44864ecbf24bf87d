"""Announced pages that have to be fetched: their claims (:mod:`app.pages.claims`) and outcomes.

Pages of one source are fetched one at a time, so that a slow server keeps one worker busy, not all.
:mod:`app.pages.announcement_intake` describes how announcements come in.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, delete, func, insert, select, update

from app.pages import announcement_intake, counters, intake, jobs
from app.pages.claims import MAX_ATTEMPTS, ClaimTable, pick
from app.pages.database import reading, writing
from app.pages.leases import LeasedStore
from app.pages.refs import AnyRow, from_row, is_page, ref_of
from app.pages.tables import announcements, rejected
from app.pages.types import AnnouncementClaim, Failed, PageRecord, PageState, Waiting
from app.pages.versions import lock_sequence
from ingest.types import PageRef, RawPage, Save

CLAIMS: Final = ClaimTable(table=announcements, next_attempt=announcements.c.next_attempt_at)
_POISON: Final = Failed(reason="poison", message="every attempt to fetch it crashed the worker")


class Announcements(LeasedStore):
    """The announced pages in ``engine``'s database. ``lease_seconds``: how long a claim is valid."""

    def claim(self, worker: str) -> AnnouncementClaim | None:
        """Claim the most urgent due page and count the attempt; return None if none is due. A page that has
        used up its attempts fails instead."""
        if not self.is_due():  # this check takes no lock
            return None
        now = self._clock()
        with writing(self._engine) as connection:
            lock_sequence(connection)
            due, fail = partial(_due, connection, now), partial(_fail_poisoned, connection, now)
            rows = pick(due, fail, MAX_ATTEMPTS)
            CLAIMS.take(connection, [ref_of(row) for row in rows], worker, now + self._lease)
        return _claim(rows[0]) if rows else None

    def is_due(self) -> bool:
        """Return True if a page can be claimed now."""
        with reading(self._engine) as connection:
            return connection.execute(_most_urgent(self._clock())).one_or_none() is not None

    def records(self, source: str | None = None) -> list[PageRecord]:
        """The pages that have to be fetched, by source, id and language, without their stored versions."""
        key = announcements.c.source, announcements.c.id, announcements.c.language
        query = select(announcements).order_by(*key)
        if source is not None:
            query = query.where(announcements.c.source == source)
        with reading(self._engine) as connection:
            return [_awaited(entry, _unknown(ref_of(entry))) for entry in connection.execute(query)]

    def accept(self, claim: AnnouncementClaim, page: RawPage, worker: str) -> None:
        """Accept a fetched page, unless the claim of ``worker`` has ended: then a newer message counts. If
        the page was announced again meanwhile, it is due at once."""
        incoming = intake.prepare(Save(page=page, republish=claim.republish))
        with writing(self._engine) as connection:
            row = _claimed(connection, claim.ref, worker)
            if row is None:
                return
            [accepted] = intake.accept(connection, [incoming], claim.priority, row.announced_at)
            _forget_failure(connection, claim.ref)
            if row.arrivals == claim.arrivals:
                announcement_intake.end(connection, accepted, self._clock(), page)
            else:
                CLAIMS.hand_back(connection, [claim.ref], worker, attempts=0)

    def fail(self, claim: AnnouncementClaim, outcome: Failed, worker: str) -> None:
        """Fail the page and its jobs, unless it was announced again meanwhile. Its stored version stays."""
        with writing(self._engine) as connection:
            row = _claimed(connection, claim.ref, worker)
            if row is not None and row.arrivals == claim.arrivals:
                _fail(connection, claim.ref, outcome, self._clock())
            elif row is not None:
                CLAIMS.hand_back(connection, [claim.ref], worker)

    def wait(
        self, claim: AnnouncementClaim, outcome: Waiting, worker: str, *, whole_source: bool = False
    ) -> None:
        """Try later, as ``outcome`` says. ``whole_source``: all pages of its source wait as long."""
        now = self._clock()
        later = now + timedelta(seconds=outcome.seconds)
        with writing(self._engine) as connection:
            row = _claimed(connection, claim.ref, worker)
            if row is None:
                return
            values = CLAIMS.waiting(outcome, now)
            if row.arrivals != claim.arrivals:  # announced again meanwhile: due at once
                values = {"attempts": values["attempts"]}
            CLAIMS.hand_back(connection, [claim.ref], worker, **values)
            if whole_source:
                others = update(announcements).where(
                    announcements.c.source == claim.ref.source, announcements.c.next_attempt_at < later
                )
                connection.execute(others.values(next_attempt_at=later, reason=outcome.reason))


def count(connection: Connection) -> int:
    """Count the pages that have to be fetched: due, waiting or claimed."""
    return connection.execute(select(func.count()).select_from(announcements)).scalar_one()


def with_announced(
    connection: Connection, source: str, page_id: str, records: list[PageRecord]
) -> list[PageRecord]:
    """Return the ``records`` of a page, pending if a newer version is to be fetched, together with announced
    languages that are not known yet; by language."""
    query = select(announcements).where(announcements.c.source == source, announcements.c.id == page_id)
    known = {record.ref.language: record for record in records}
    for entry in connection.execute(query):
        known[entry.language] = _awaited(entry, known.get(entry.language) or _unknown(ref_of(entry)))
    return [known[language] for language in sorted(known)]


def document_of(ref: PageRef) -> str:
    """Return a page's name in the list of documents that could not be read."""
    return f"{ref.id} ({ref.language})"


def _due(connection: Connection, now: datetime) -> list[AnyRow]:
    query = _most_urgent(now).with_for_update(skip_locked=True, of=announcements)
    return list(connection.execute(query))


def _most_urgent(now: datetime) -> Select[Any]:
    """Select the most urgent announcement that is due."""
    claimed = announcements.alias()
    busy = select(claimed.c.source).where(claimed.c.claimed_until > now)
    urgency = (announcements.c.priority.desc(), announcements.c.attempts, announcements.c.announced_at)
    return (
        select(announcements)
        .where(CLAIMS.is_free(now), announcements.c.source.not_in(busy))
        .order_by(*urgency, announcements.c.id, announcements.c.language)
        .limit(1)
    )


def _fail_poisoned(connection: Connection, now: datetime, rows: Sequence[AnyRow]) -> None:
    for row in rows:
        _fail(connection, ref_of(row), _POISON, now)


def _claimed(connection: Connection, ref: PageRef, worker: str) -> AnyRow | None:
    """Return the row of a page that ``worker`` has claimed. Lock the counter first, as acceptance does."""
    lock_sequence(connection)
    query = select(announcements).where(is_page(ref, announcements), announcements.c.claimed_by == worker)
    return connection.execute(query.with_for_update()).one_or_none()


def _fail(connection: Connection, ref: PageRef, outcome: Failed, now: datetime) -> None:
    connection.execute(delete(announcements).where(is_page(ref, announcements)))
    jobs.fail(connection, ref, outcome, now)
    _forget_failure(connection, ref)
    said = {"reason": outcome.reason, "message": outcome.message, "at": now}
    connection.execute(insert(rejected).values(source=ref.source, document=document_of(ref), **said))
    counters.add(connection, {(counters.FAILED, ref.source, outcome.reason): 1})


def _forget_failure(connection: Connection, ref: PageRef) -> None:
    same = and_(rejected.c.source == ref.source, rejected.c.document == document_of(ref))
    connection.execute(delete(rejected).where(same))


def _claim(row: AnyRow) -> AnnouncementClaim:
    return from_row(AnnouncementClaim, row, ref=ref_of(row), attempts=row.attempts + 1)


def _awaited(entry: AnyRow, record: PageRecord) -> PageRecord:
    state: PageState = "waiting" if entry.reason else "pending"
    return replace(record, state=state, reason=entry.reason)


def _unknown(ref: PageRef) -> PageRecord:
    return PageRecord(
        ref=ref,
        document=ref.id,
        url="",
        title="",
        state="pending",
        reason="",
        sequence=0,
        indexed_at=None,
    )
