"""Jobs: the progress of a CMS's messages. Each message is accepted once, and each page in it becomes a job.

A job is a record, not work: it stores which version of which page was meant, and its status is derived from
the page's row. It is ``indexed`` when the index has that version or a newer one. A page that was only
announced has no version yet, so its jobs are ``announced`` until it has been fetched
(:mod:`app.pages.announcement_intake`).

Every function works inside the caller's transaction; times are in UTC.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, delete, select, tuple_, update

from app.errors import ConflictError
from app.pages.bulk import insert_new, insert_rows
from app.pages.page_queue import QUEUED
from app.pages.refs import AnyRow
from app.pages.tables import announcements, deliveries, jobs, pages
from app.pages.types import AcceptResult, Delivery, Failed, JobDocument, JobStatus
from ingest.types import Change, Delete, PageRef, RawPage, Save

KEPT: Final = timedelta(days=30)
"""The time for which jobs are kept and a repeated message is not accepted again."""

FORGOTTEN_AT_ONCE: Final = 1_000
ID_BYTES: Final = 16
EXCLUDED: Final = "excluded: the page was taken out and is not shown"

_Values = Mapping[str, Any] | RowMapping
"""A row of ``jobs``, either to be inserted or loaded."""

_UNTOUCHED: Final = "no page has this id"
_SUPERSEDED: Final = "a newer version had already arrived"
OF_PAGE: Final = and_(
    pages.c.source == jobs.c.source, pages.c.id == jobs.c.page, pages.c.language == jobs.c.language
)
_OF_ANNOUNCEMENT: Final = and_(
    announcements.c.source == jobs.c.source,
    announcements.c.id == jobs.c.page,
    announcements.c.language == jobs.c.language,
)
WITH_PAGE: Final = (
    select(
        jobs,
        pages.c.sequence.label("newest"),
        pages.c.indexed_sequence,
        pages.c.indexed_at,
        pages.c.failed_at,
        pages.c.excluded,
        pages.c.claimed_until,
        pages.c.reason.label("page_reason"),
        pages.c.message.label("page_message"),
        QUEUED.label("queued"),
        announcements.c.claimed_until.label("fetched_until"),
        announcements.c.reason.label("fetch_reason"),
    )
    .outerjoin_from(jobs, pages, OF_PAGE)
    .outerjoin(announcements, _OF_ANNOUNCEMENT)
)
"""The jobs, joined with the state of their pages and announcements."""

# Built once, because every acceptance needs them and building a statement takes longer than executing it.
_DIGEST: Final = select(deliveries.c.digest).where(
    deliveries.c.source == bindparam("source"), deliveries.c.id == bindparam("delivery")
)
_OF_DELIVERY: Final = (
    select(jobs)
    .where(jobs.c.source == bindparam("source"), jobs.c.delivery == bindparam("delivery"))
    .order_by(jobs.c.position)
)


def record_message(connection: Connection, delivery: Delivery, now: datetime) -> list[JobDocument] | None:
    """Store a message. Return None if it is new; otherwise its jobs as they were created.

    Raises ``ConflictError`` if a different message has the same id.
    """
    message = {"source": delivery.source, "id": delivery.id, "digest": delivery.digest, "at": now}
    if insert_new(connection, deliveries, [message], {}):
        return None
    named = {"source": delivery.source, "delivery": delivery.id}
    if connection.execute(_DIGEST, named).scalar_one() != delivery.digest:
        raise ConflictError(
            f"another message had the id {delivery.id!r}: use a new id for each message, and repeat a "
            "message unchanged"
        )
    return [_created(row) for row in connection.execute(_OF_DELIVERY, named).mappings()]


def add(
    connection: Connection,
    delivery: Delivery,
    changes: Sequence[Change],
    accepted: Sequence[AcceptResult],
    now: datetime,
    *,
    position: int,
) -> list[JobDocument]:
    """Make jobs from the results of a message's changes, the first at ``position``."""
    shared = {
        "source": delivery.source,
        "delivery": delivery.id,
        "accepted_at": now,
        "fetched_at": None,
    }
    rows = [
        {"id": token_urlsafe(ID_BYTES), "position": number, **values}
        for number, values in enumerate(_values(changes, accepted), start=position)
    ]
    insert_rows(connection, jobs, rows, shared)
    return [_created(row | shared) for row in rows]


def resume(
    connection: Connection, accepted: AcceptResult, now: datetime, fetched: RawPage | None = None
) -> None:
    """Continue the jobs of an announced page that was ``fetched`` and ``accepted``, or that no longer has to
    be fetched."""
    values = {"sequence": accepted.sequence, "status": accepted.status, "reason": _reason(accepted)}
    length = _characters(fetched) if fetched is not None and accepted.status == "accepted" else None
    connection.execute(_announced(accepted.ref).values(**values, fetched_at=now, characters=length))


def fail(connection: Connection, ref: PageRef, outcome: Failed, now: datetime) -> None:
    """End the jobs of an announced page that cannot be fetched."""
    values = {"status": "failed", "reason": f"{outcome.reason}: {outcome.message}"}
    connection.execute(_announced(ref).values(**values, fetched_at=now))


def forget(connection: Connection, before: datetime) -> bool:
    """Delete some of the messages and jobs from ``before`` this time; return True if there may be more."""
    old_jobs = select(jobs.c.id).where(jobs.c.accepted_at < before).limit(FORGOTTEN_AT_ONCE)
    key = deliveries.c.source, deliveries.c.id
    old_messages = select(*key).where(deliveries.c.at < before).limit(FORGOTTEN_AT_ONCE)
    forgotten = [
        connection.execute(delete(jobs).where(jobs.c.id.in_(old_jobs))).rowcount,
        connection.execute(delete(deliveries).where(tuple_(*key).in_(old_messages))).rowcount,
    ]
    return FORGOTTEN_AT_ONCE in forgotten


def job_of(row: AnyRow, now: datetime) -> JobDocument:
    """Return the job in a row of ``WITH_PAGE``, with its current status."""
    status, reason, finished_at = _status(row, now)
    return _job(row._mapping, status, reason or row.reason, finished_at)


def is_of_page(ref: PageRef) -> ColumnElement[bool]:
    """The condition that a job belongs to a page."""
    return and_(jobs.c.source == ref.source, jobs.c.page == ref.id, jobs.c.language == ref.language)


def _values(changes: Sequence[Change], accepted: Sequence[AcceptResult]) -> Iterator[dict[str, Any]]:
    lengths = {each.page.ref: _characters(each.page) for each in changes if isinstance(each, Save)}
    for item in accepted:
        length = lengths.get(item.ref) if item.status == "accepted" else None
        ref = {"page": item.ref.id, "language": item.ref.language, "characters": length}
        yield {**ref, "sequence": item.sequence, "status": item.status, "reason": _reason(item)}
    touched = {item.ref.id for item in accepted}
    for change in changes:
        if isinstance(change, Delete) and change.id not in touched:
            known = {"page": change.id, "language": None, "characters": None, "sequence": 0}
            yield {**known, "status": "unchanged", "reason": _UNTOUCHED}


def _characters(page: RawPage) -> int:
    """The total length of a page's fields as they came."""
    return sum(len(field.text) for field in page.fields.values())


def _reason(item: AcceptResult) -> str:
    return item.warning or (_SUPERSEDED if item.status == "superseded" else "")


def _announced(ref: PageRef) -> Any:
    return update(jobs).where(jobs.c.status == "announced", is_of_page(ref))


def _created(row: _Values) -> JobDocument:
    if row["status"] == "announced" or row["fetched_at"] is not None:
        return _job(row, "queued", "", None)
    if row["status"] == "accepted":
        return _job(row, "queued", row["reason"], None)
    return _job(row, row["status"], row["reason"], row["accepted_at"])


def _status(row: AnyRow, now: datetime) -> tuple[JobStatus, str, datetime | None]:
    """Return status, reason and end of the job in a row of ``WITH_PAGE``."""
    if row.status == "announced":
        return _progress(row.fetched_until, row.fetch_reason, now), row.fetch_reason, None
    if row.status != "accepted":
        return row.status, row.reason, row.fetched_at or row.accepted_at
    if row.indexed_sequence >= row.sequence:
        warning = "" if row.page_reason else row.page_message
        return "indexed", EXCLUDED if row.excluded else warning, row.indexed_at
    if row.queued:
        return _progress(row.claimed_until, row.page_reason, now), row.page_reason, None
    if row.newest > row.sequence:
        return "superseded", _SUPERSEDED, row.failed_at
    return "failed", f"{row.page_reason}: {row.page_message}", row.failed_at


def _progress(claimed_until: datetime, reason: str, now: datetime) -> JobStatus:
    if claimed_until > now:
        return "running"
    return "waiting" if reason else "queued"


def _job(row: _Values, status: JobStatus, reason: str, finished_at: datetime | None) -> JobDocument:
    return JobDocument(
        id=row["id"],
        source=row["source"],
        page=row["page"],
        language=row["language"],
        status=status,
        reason=reason,
        accepted_at=row["accepted_at"],
        finished_at=finished_at,
    )
