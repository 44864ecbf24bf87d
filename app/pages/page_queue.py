"""The queue of pages to be indexed: due pages, claims and outcomes.

A page is *queued* while ``settled_sequence < sequence``, and *due* when its time has come and nobody has
claimed it (:mod:`app.pages.claims`). Every function works inside the caller's transaction; ``now`` is in UTC.
Functions that write several pages lock the counter first, as acceptance does; a claim skips locked rows.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, or_, select, update

from app.errors import PageError
from app.pages import builds, counters, pulls
from app.pages.bodies import DAMAGED, check_whole, load_body
from app.pages.bulk import chunks
from app.pages.claims import FREE, ClaimTable, pick
from app.pages.column_types import AsBytes
from app.pages.refs import REF_COLUMNS, AnyRow, bound, is_among, is_page, matches_bound, ref_of
from app.pages.selection import fitting
from app.pages.tables import SERVED, bodies, jobs, pages
from app.pages.types import Claim, Failed, Indexed, Settlement, StoredVersion, Waiting
from app.pages.versions import as_new, execute_many, lock_sequence
from ingest.types import PageRef, RawPage

CLAIMS: Final = ClaimTable(table=pages, next_attempt=pages.c.next_attempt_at)
QUEUED: Final = pages.c.settled_sequence < pages.c.sequence
AT_REST: Final = and_(
    pages.c.settled_sequence == pages.c.sequence, pages.c.indexed_sequence == pages.c.sequence
)
"""The index has the page's newest version, and nothing is left to do."""

REWRITE_PRIORITY: Final = -1
"""The priority of pages that the index already has: below all pages that it lacks."""

POISON: Final = "every attempt killed or broke its worker: shorten or repair the page and save it again"
_REMOVAL: Final = ~SERVED
_CURRENT: Final = pages.c.sequence == bindparam("known")

# Built once, because every page needs them and building a statement takes longer than executing it.
_COUNTED: Final = select(
    *REF_COLUMNS, pages.c.sequence, pages.c.indexed_sequence, pages.c.accepted_at, pages.c.priority
)
_SETTLED_VALUES: Final = {
    "settled_sequence": bindparam("known"),
    "attempts": 0,
    "reason": "",
    "message": bindparam("warning"),
}
_INDEXED: Final = (
    update(pages)
    .where(matches_bound(pages), pages.c.indexed_sequence < bindparam("known"))
    .values(indexed_sequence=bindparam("known"), indexed_at=bindparam("at"))
)
_SETTLED: Final = update(pages).where(matches_bound(pages), _CURRENT).values(_SETTLED_VALUES)
_WITH_BODY: Final = select(pages, AsBytes(bodies.c.body).label("body")).outerjoin_from(pages, bodies)


def claim(
    connection: Connection,
    worker: str,
    now: datetime,
    lease: timedelta,
    *,
    limit: int,
    removals: int,
    max_attempts: int,
    refs: Sequence[PageRef] | None,
    min_priority: int,
) -> list[Claim]:
    """Claim up to ``limit`` due pages for ``worker`` and count the attempt before the work.

    If the first ``limit`` are all to be removed, which takes no time, claim up to ``removals``.
    """
    due, fail = partial(_due, connection, now, refs, min_priority), partial(_fail_poisoned, connection, now)
    rows = pick(partial(due, limit), fail, max_attempts)
    if len(rows) == limit < removals and all(row.removal for row in rows):
        rows = pick(partial(due, removals, _REMOVAL), fail, max_attempts)
    chosen = [ref_of(row) for row in rows]
    found = _with_bodies(connection, chosen)
    taken = chosen[: fitting(len(found[ref].body or b"") for ref in chosen)]
    CLAIMS.take(connection, taken, worker, now + lease)
    causes = _causes(connection, [found[ref].sequence for ref in taken])
    # Read last, so that a page claimed without a target was accepted before the target was set.
    target = builds.target(connection)
    return [
        Claim(
            ref=stored.ref,
            sequence=stored.sequence,
            page=stored.page,
            damage=stored.damage,
            attempts=found[stored.ref].attempts + 1,
            priority=found[stored.ref].priority,
            target=target,
            job=causes.get(stored.sequence),
        )
        for stored in (_stored(found[ref]) for ref in taken)
    ]


def finish(connection: Connection, settlements: Sequence[Settlement], *, worker: str, now: datetime) -> None:
    """Record the outcomes of claims and end them. Calling it again changes nothing.

    ``Indexed`` counts from any worker, because it is a fact about the index. ``Failed`` and ``Waiting`` count
    only from the worker that still has the claim, and only for the page's current sequence.
    """
    lock_sequence(connection)
    counts = _finish_indexed(connection, settlements, now)
    for ref, sequence, outcome in settlements:
        held = partial(_update_held, connection, ref, sequence, worker)
        match outcome:
            case Failed():
                counts[counters.FAILED, ref.source, outcome.reason] += held(_failed(sequence, outcome, now))
                _fetch_damaged(connection, {ref: outcome})
            case Waiting():
                held(CLAIMS.waiting(outcome, now))
    CLAIMS.hand_back(connection, [ref for ref, _, _ in settlements], worker)
    counters.add(connection, counts)


def read(connection: Connection, refs: Sequence[PageRef]) -> list[StoredVersion]:
    """Return the newest versions of the known pages among ``refs``, in order, without claiming them."""
    found = _with_bodies(connection, refs)
    return [_stored(found[ref]) for ref in refs if ref in found]


def record_indexed(connection: Connection, sequences: Mapping[PageRef, int], now: datetime) -> None:
    """Record versions that were indexed without a claim. A page with a newer version stays as it is."""
    lock_sequence(connection)
    news = pages.c.indexed_sequence < bindparam("known")
    indexed = {"indexed_sequence": pages.c.sequence, "indexed_at": now, "settled_sequence": pages.c.sequence}
    values = {**indexed, "attempts": 0, "reason": "", "message": ""}
    execute_many(connection, _update().where(_CURRENT, news).values(values), _known(sequences))


def record_failed(
    connection: Connection, sequences: Mapping[PageRef, int], failures: Mapping[PageRef, Failed]
) -> None:
    """Record versions that failed without a claim. A queued page stays as it is: its claim will have an
    outcome of its own."""
    lock_sequence(connection)
    settled = pages.c.settled_sequence == pages.c.sequence
    values = {"indexed_sequence": 0, "reason": bindparam("why"), "message": bindparam("said")}
    rows = [
        known | {"why": failure.reason, "said": failure.message}
        for known, failure in zip(
            _known({ref: sequences[ref] for ref in failures}), failures.values(), strict=True
        )
    ]
    execute_many(connection, _update().where(_CURRENT, settled).values(values), rows)
    _fetch_damaged(connection, failures)


def rewrite(connection: Connection, refs: Sequence[PageRef], now: datetime) -> None:
    """Make pages due again whose newest version the index has, to embed them differently. They count as
    indexed meanwhile."""
    lock_sequence(connection)
    again = update(pages).where(matches_bound(pages), AT_REST, SERVED)
    values = {**as_new(now), "settled_sequence": 0, "priority": REWRITE_PRIORITY}
    execute_many(connection, again.values(values), [bound(ref) for ref in refs])


def count_queued(connection: Connection, refs: Sequence[PageRef] | None, source: str | None) -> int:
    """Count the queued pages: due, waiting or claimed."""
    query = select(func.count()).select_from(pages).where(QUEUED)
    if source is not None:
        query = query.where(pages.c.source == source)
    if refs is None:
        return connection.execute(query).scalar_one()
    return sum(connection.execute(query.where(is_among(chunk))).scalar_one() for chunk in chunks(refs))


def is_due(
    connection: Connection,
    now: datetime,
    min_priority: int,
    *,
    refs: Sequence[PageRef] | None,
    worker: str | None,
) -> bool:
    """Return True if a page of at least this priority can be claimed, or is claimed by ``worker``."""
    free = or_(CLAIMS.is_free(now), pages.c.claimed_by == worker) if worker else CLAIMS.is_free(now)
    due = select(pages.c.id).where(QUEUED, free, pages.c.priority >= min_priority)
    # Ordered, because PostgreSQL expects many such pages and would otherwise scan the whole table.
    due = due.order_by(pages.c.priority.desc()).limit(1)
    found = [due] if refs is None else [due.where(is_among(chunk)) for chunk in chunks(refs)]
    return any(connection.execute(query).one_or_none() is not None for query in found)


def _fail_poisoned(connection: Connection, now: datetime, rows: Sequence[AnyRow]) -> None:
    """Fail these pages and count them at once: a claim waits for no other transaction afterwards."""
    failed = {"settled_sequence": pages.c.sequence, "failed_at": now, "reason": "poison", "message": POISON}
    poisoned = _update().values({**FREE, **failed})
    execute_many(connection, poisoned, [bound(ref_of(row)) for row in rows])
    counters.add(connection, Counter((counters.FAILED, row.source, "poison") for row in rows))


def _fetch_damaged(connection: Connection, failures: Mapping[PageRef, Failed]) -> None:
    """Let pulls fetch damaged pages again, although they have not changed at their source."""
    pulls.forget(connection, [ref for ref, failure in failures.items() if failure.reason == DAMAGED])


def _causes(connection: Connection, sequences: Sequence[int]) -> dict[int, str]:
    """The jobs that brought these versions; those of imports and pulls have none."""
    query = select(jobs.c.sequence, jobs.c.id).where(jobs.c.status == "accepted")
    return {
        row.sequence: row.id
        for chunk in chunks(sequences)
        for row in connection.execute(query.where(jobs.c.sequence.in_(chunk)))
    }


def _finish_indexed(
    connection: Connection, settlements: Sequence[Settlement], now: datetime
) -> defaultdict[counters.Key, float]:
    """Record versions that the index has. Return the amounts to count."""
    indexed = [
        (ref, sequence, outcome.warning)
        for ref, sequence, outcome in settlements
        if isinstance(outcome, Indexed)
    ]
    counts: defaultdict[counters.Key, float] = defaultdict(float)
    for some in chunks(indexed):
        found = connection.execute(_COUNTED.where(is_among([ref for ref, _, _ in some])))
        rows = {ref_of(row): row for row in found}
        for ref, sequence, _ in some:
            if ref in rows and rows[ref].indexed_sequence < sequence:
                for key, amount in _indexed(rows[ref], sequence, now).items():
                    counts[key] += amount
    versions = [bound(ref) | {"known": sequence} for ref, sequence, _ in indexed]
    warned = [
        version | {"warning": warning} for version, (_, _, warning) in zip(versions, indexed, strict=True)
    ]
    execute_many(connection, _INDEXED, [version | {"at": now} for version in versions])
    execute_many(connection, _SETTLED, warned)
    return counts


def _update_held(
    connection: Connection, ref: PageRef, sequence: int, worker: str, values: Mapping[str, Any]
) -> int:
    """Set the values of a page whose newest version the worker still has claimed. Return the row count."""
    held = is_page(ref), pages.c.sequence == sequence, pages.c.claimed_by == worker
    return connection.execute(update(pages).where(*held).values(values)).rowcount


def _failed(sequence: int, outcome: Failed, now: datetime) -> dict[str, Any]:
    return {
        "settled_sequence": sequence,
        "failed_at": now,
        "reason": outcome.reason,
        "message": outcome.message,
    }


def _indexed(row: AnyRow, sequence: int, now: datetime) -> dict[counters.Key, float]:
    """The amounts to count for an indexed version; the delay is known only for the newest one."""
    counts: dict[counters.Key, float] = {(counters.INDEXED, row.source, ""): 1}
    if row.sequence == sequence and row.accepted_at is not None:
        seconds = (now - row.accepted_at).total_seconds()
        counts |= counters.searchable(seconds, interactive=row.priority > 0)
    return counts


def _due(
    connection: Connection,
    now: datetime,
    refs: Sequence[PageRef] | None,
    min_priority: int,
    limit: int,
    *conditions: ColumnElement[bool],
) -> list[AnyRow]:
    # Pages tried before come last, so that one that kills its worker delays no others.
    urgency = (pages.c.priority.desc(), pages.c.attempts, pages.c.sequence)
    columns = pages.c.priority, pages.c.sequence, pages.c.attempts, _REMOVAL.label("removal")
    query = select(*REF_COLUMNS, *columns).where(
        QUEUED, CLAIMS.is_free(now), pages.c.priority >= min_priority, *conditions
    )
    query = query.order_by(*urgency).limit(limit).with_for_update(skip_locked=True)
    if refs is None:
        return list(connection.execute(query))
    found = [row for chunk in chunks(refs) for row in connection.execute(query.where(is_among(chunk)))]
    return sorted(found, key=lambda row: (-row.priority, row.attempts, row.sequence))[:limit]


def _update() -> Any:
    return update(pages).where(matches_bound(pages))


def _known(sequences: Mapping[PageRef, int]) -> list[dict[str, Any]]:
    return [bound(ref) | {"known": sequence} for ref, sequence in sequences.items()]


def _with_bodies(connection: Connection, refs: Sequence[PageRef]) -> dict[PageRef, AnyRow]:
    return {
        ref_of(row): row
        for chunk in chunks(refs)
        for row in connection.execute(_WITH_BODY.where(is_among(chunk)))
    }


def _stored(row: AnyRow) -> StoredVersion:
    """Return the version in a row, with ``damage`` instead of an error: a damaged page that failed the
    transaction would be claimed, and fail it, for ever."""
    try:
        return StoredVersion(ref=ref_of(row), sequence=row.sequence, page=_page(row))
    except PageError as error:
        damage = Failed(reason=error.reason, message=str(error))
        return StoredVersion(ref=ref_of(row), sequence=row.sequence, page=None, damage=damage)


def _page(row: AnyRow) -> RawPage | None:
    """Load the page in a row; None if it must not be in the index. Raises ``PageError`` if it is damaged."""
    if row.deleted or row.excluded:
        return None
    page = RawPage(
        ref=ref_of(row),
        document=row.document,
        url=row.url,
        revision=row.revision,
        updated=row.updated,
        publish_from=row.publish_from,
        publish_until=row.publish_until,
        kind=row.kind,
        **load_body(row.body),
    )
    check_whole(page, row.body, row.content_hash)
    return page
