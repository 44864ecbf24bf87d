"""Accepts messages that may contain announcements: pages to be fetched, one row each, until their newest
version is known. Saves and deletes of a message are accepted by :mod:`app.pages.intake`.

*a* is the announced revision. An announcement with a revision is decided like a save with that revision
(:mod:`app.pages.acceptance`): if it is older than the page, or than its deletion, nothing is fetched. If a
page is announced several times, the highest revision counts.

An announcement ends when its page has been fetched (:mod:`app.pages.announcements`), or when a message
brings:

* a save with fields and a revision of at least *a*;
* a delete with a revision of at least *a*; if either has no revision, the later of the two counts.

Every function works inside the caller's write transaction, which has locked the counter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, bindparam, case, delete, insert, select, update

from app.pages import deletions, intake, jobs, versions
from app.pages.acceptance import Decision, IncomingChange, Key, Version, decide, page_of
from app.pages.refs import bound, by_source, has_id, key_of, matches_bound, ref_of
from app.pages.tables import EPOCH, announcements
from app.pages.types import AcceptResult, Announcement, Delivery, JobDocument
from ingest.types import Change, Delete, PageRef, RawPage, Save

Item = IncomingChange | Announcement

# Built once, because every message needs them and building a statement takes longer than executing it.
_LOAD: Final = select(announcements).where(has_id(announcements))
_ANY: Final = select(announcements.c.id).where(announcements.c.source == bindparam("source")).limit(1)
_OF_REF: Final = matches_bound(announcements)


def prepare(change: Change | Announcement) -> Item:
    """Prepare a change as :func:`app.pages.intake.prepare` does; return an announcement as it is."""
    return change if isinstance(change, Announcement) else intake.prepare(change)


def accept(
    connection: Connection, delivery: Delivery, items: Sequence[Item], priority: int, now: datetime
) -> list[JobDocument]:
    """Apply a message's changes and store its announcements, in order; consecutive ones of a kind at once."""
    made: list[JobDocument] = []
    for is_announced, some in groupby(items, lambda item: isinstance(item, Announcement)):
        changes: list[Change] = []
        if is_announced:
            announced = [item for item in some if isinstance(item, Announcement)]
            accepted = _announce(connection, announced, priority, now)
        else:
            batch = [item for item in some if isinstance(item, IncomingChange)]
            changes = [item.change for item in batch]
            accepted = intake.accept(connection, batch, priority, now)
            if connection.execute(_ANY, {"source": delivery.source}).first():  # seldom true, and quick to ask
                _end_superseded(connection, changes, accepted, now)
        made += jobs.add(connection, delivery, changes, accepted, now, position=len(made))
    return made


def end(
    connection: Connection, accepted: AcceptResult, now: datetime, fetched: RawPage | None = None
) -> None:
    """End an announcement: its jobs continue with the version that was ``fetched`` and ``accepted``."""
    connection.execute(delete(announcements).where(_OF_REF), bound(accepted.ref))
    jobs.resume(connection, accepted, now, fetched)


def reset_revisions(connection: Connection, source: str) -> None:
    """Accept any revision when the announced pages of ``source`` are fetched."""
    connection.execute(update(announcements).where(announcements.c.source == source).values(revision=None))


def merged(waiting: Announcement | None, item: Announcement) -> Announcement | None:
    """Combine an announcement with the one ``waiting``; return None if ``item`` is older."""
    if waiting is None:
        return item
    if waiting.revision is not None and item.revision is not None and item.revision < waiting.revision:
        return None
    revision = waiting.revision if item.revision is None else item.revision
    return replace(item, revision=revision, republish=waiting.republish or item.republish)


def supersedes(change: Change, waiting: Announcement) -> bool:
    """Return True if a change makes it unnecessary to fetch the page."""
    ref, announced = waiting.ref, waiting.revision
    if isinstance(change, Save):
        given = change.page.revision
        return change.page.ref == ref and None not in (given, announced) and _at_least(given, announced)
    if (change.source, change.id) != (ref.source, ref.id) or change.language not in (None, ref.language):
        return False
    return _at_least(change.revision, announced)


def _at_least(given: int | None, announced: int | None) -> bool:
    return given is None or announced is None or given >= announced


def _announce(
    connection: Connection, items: Sequence[Announcement], priority: int, now: datetime
) -> list[AcceptResult]:
    keys = {(item.ref.source, item.ref.id) for item in items}
    known, deleted = versions.load(connection, keys), deletions.load(connection, keys)
    stored = _load(connection, keys)
    waiting = dict(stored)
    results = []
    for item in items:
        version = known.get(item.ref)
        decision = _decide(version, item, deleted.get((item.ref.source, item.ref.id)))
        new = merged(waiting.get(item.ref), item) if decision.status != "superseded" else None
        if new is None:
            sequence = version.sequence if version is not None else 0
            results.append(
                AcceptResult(ref=item.ref, sequence=sequence, status="superseded", warning=decision.warning)
            )
        else:
            waiting[item.ref] = new
            results.append(AcceptResult(ref=item.ref, sequence=0, status="announced"))
    touched = {result.ref for result in results if result.status == "announced"}
    _store(connection, stored, [waiting[ref] for ref in sorted(touched)], priority, now)
    return results


def _decide(known: Version | None, item: Announcement, deletion: int | None) -> Decision:
    """Decide as for a save with that revision; without one, accept it, as only the page itself can tell."""
    if item.revision is None:
        return Decision(status="accepted", revision=None)
    page = RawPage(ref=item.ref, document=item.ref.id, url="", fields={}, revision=item.revision)
    return decide(known, IncomingChange(change=Save(page=page, republish=item.republish)), deletion)


def _end_superseded(
    connection: Connection, changes: Sequence[Change], accepted: Sequence[AcceptResult], now: datetime
) -> None:
    results = {result.ref: result for result in accepted}
    for ref, waiting in _load(connection, {page_of(change) for change in changes}).items():
        change = next((change for change in changes if supersedes(change, waiting)), None)
        if isinstance(change, Save):
            end(connection, results[ref], now)
        elif isinstance(change, Delete):
            end(connection, AcceptResult(ref=ref, sequence=0, status="superseded"), now)


def _load(connection: Connection, keys: Iterable[Key]) -> dict[PageRef, Announcement]:
    return {
        ref_of(row): Announcement(
            ref=ref_of(row), revision=row.revision, republish=row.republish, record=row.record
        )
        for some in by_source(keys)
        for row in connection.execute(_LOAD, some)
    }


def _store(
    connection: Connection,
    stored: dict[PageRef, Announcement],
    items: Sequence[Announcement],
    priority: int,
    now: datetime,
) -> None:
    """Insert or renew announcements, which become due at once. A running fetch continues, and another one
    follows."""
    fixed = {"announced_at": now, "priority": priority, "next_attempt_at": EPOCH, "reason": ""}
    again = [
        bound(item.ref) | fixed | _wanted(item) | {"is_newer": item.revision != stored[item.ref].revision}
        for item in items
        if item.ref in stored
    ]
    columns: dict[str, Any] = {name: bindparam(name) for name in ("revision", "republish", "record", *fixed)}
    counted = {
        "arrivals": announcements.c.arrivals + 1,
        "attempts": case((bindparam("is_newer"), 0), else_=announcements.c.attempts),
    }
    versions.execute_many(connection, update(announcements).where(_OF_REF).values(columns | counted), again)
    new = [
        key_of(item.ref)
        | fixed
        | _wanted(item)
        | {"arrivals": 1, "attempts": 0, "claimed_by": None, "claimed_until": EPOCH}
        for item in items
        if item.ref not in stored
    ]
    versions.execute_many(connection, insert(announcements), new)


def _wanted(item: Announcement) -> dict[str, Any]:
    return {"revision": item.revision, "republish": item.republish, "record": item.record}
