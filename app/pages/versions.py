"""Page versions in the database: loads them for acceptance, and writes its plans."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Executable, and_, bindparam, case, delete, select, update

from app.pages.acceptance import Plan, Version, VersionStatus
from app.pages.bodies import DAMAGED, title
from app.pages.bulk import insert_rows
from app.pages.refs import (
    REF_COLUMNS,
    AnyRow,
    bound,
    by_source,
    has_id,
    is_page,
    key_of,
    matches_bound,
    ref_of,
)
from app.pages.tables import EPOCH, bodies, jobs, meta, pages
from ingest.types import Delete, PageRef, Save

SPARE_SEQUENCES: Final = 1_000_000
"""A gap larger than the number of removals that an index can have above the pages it serves, because an index
does not list its removals."""

_NEVER_INDEXED: Final = {"indexed_sequence": 0, "settled_sequence": 0, "claimed_until": EPOCH}

_TOMBSTONE: Final = {
    "title": "",
    "updated": None,
    "publish_from": None,
    "publish_until": None,
    "deleted": True,
}

_COLUMNS: Final = (
    *REF_COLUMNS,
    pages.c.document,
    pages.c.revision,
    pages.c.content_hash,
    pages.c.deleted,
    pages.c.excluded,
    pages.c.sequence,
    pages.c.indexed_sequence,
    pages.c.settled_sequence,
    pages.c.reason,
)

_YIELDING: Final = case((pages.c.settled_sequence < pages.c.sequence, pages.c.priority), else_=0)
"""The priority of pages that become due again: 0 if indexed or failed before, because nobody waits for
them."""

# Built once, because every acceptance needs them and building a statement takes longer than executing it.
_LAST: Final = select(meta.c.value).where(meta.c.name == "sequence")
_LOCK: Final = _LAST.with_for_update()
_SAVE_LAST: Final = update(meta).where(meta.c.name == "sequence").values(value=bindparam("last"))
_LOAD: Final = select(*_COLUMNS).where(has_id())
_UPDATE: Final = update(pages).where(matches_bound(pages))
_DELETE_BODY: Final = delete(bodies).where(matches_bound(bodies))

Versions = Mapping[PageRef, Version]


def as_new(now: datetime) -> dict[str, Any]:
    """The queue columns of a page that came in at ``now``. A claim on an older version stays."""
    return {"attempts": 0, "next_attempt_at": EPOCH, "reason": "", "message": "", "accepted_at": now}


def lock_sequence(connection: Connection) -> int:
    """Return the last sequence given; no other transaction gives one until this one ends."""
    last: int = connection.execute(_LOCK).scalar_one()
    return last


def last_sequence(connection: Connection) -> int:
    """Return the last committed sequence."""
    last: int = connection.execute(_LAST).scalar_one()
    return last


def save_sequence(connection: Connection, sequence: int) -> None:
    """Store the last sequence given."""
    connection.execute(_SAVE_LAST, {"last": sequence})


def renumber(connection: Connection, above: int, now: datetime) -> None:
    """Give every page a sequence far above ``above`` and all given before, in the same order.

    Indexed pages become due again; failed pages stay failed.
    """
    last = lock_sequence(connection)
    shift = max(last, above) + SPARE_SEQUENCES
    failed = and_(pages.c.settled_sequence == pages.c.sequence, pages.c.indexed_sequence < pages.c.sequence)
    settled = case((failed, pages.c.sequence + shift), else_=pages.c.settled_sequence)
    due = {"sequence": pages.c.sequence + shift, "settled_sequence": settled, "accepted_at": now}
    connection.execute(update(pages).values(due | {"priority": _YIELDING}))
    connection.execute(update(jobs).values(sequence=jobs.c.sequence + shift))
    save_sequence(connection, last + shift)


def load(connection: Connection, keys: Iterable[tuple[str, str]]) -> dict[PageRef, Version]:
    """Return the known versions of the pages with these sources and ids, in every language."""
    found: dict[PageRef, Version] = {}
    for some in by_source(keys):
        found.update((ref_of(row), _version(row)) for row in connection.execute(_LOAD, some))
    return found


def store(connection: Connection, stored: Versions, planned: Plan, priority: int, now: datetime) -> None:
    """Write a plan that was made from the ``stored`` versions."""
    written = {ref: version for ref, version in planned.versions.items() if version.written}
    known = [ref for ref in written if ref in stored]
    shared = {**as_new(now), "priority": priority}
    updated = {ref: bound(ref) | _values(written[ref]) | shared for ref in known}
    execute_many(connection, _UPDATE, [updated[ref] for ref in known if not written[ref].deleted])
    execute_many(connection, _UPDATE, [updated[ref] for ref in known if written[ref].deleted])
    # Pages are excluded in all languages, including those that come later.
    excluded = {(ref.source, ref.id) for ref, version in stored.items() if version.excluded}
    new = [
        _new_row(ref, version, (ref.source, ref.id) in excluded)
        for ref, version in written.items()
        if ref not in stored
    ]
    insert_rows(connection, pages, new, shared | _NEVER_INDEXED)
    execute_many(connection, _DELETE_BODY, [bound(ref) for ref in known])
    texts = [_body(ref, version) for ref, version in written.items() if not version.deleted]
    insert_rows(connection, bodies, texts, {})
    _revise(connection, stored, planned.versions)
    _requeue(connection, [ref for ref in planned.requeued if ref not in written], priority, now)
    save_sequence(connection, planned.sequence)


def execute_many(connection: Connection, statement: Executable, parameters: Sequence[dict[str, Any]]) -> None:
    """Execute a statement once for each of ``parameters``; do nothing if there are none."""
    if parameters:
        connection.execute(statement, parameters)


def _version(row: AnyRow) -> Version:
    status = _status(row)
    return Version(
        revision=row.revision,
        content_hash=row.content_hash,
        deleted=row.deleted,
        sequence=row.sequence,
        status=status,
        excluded=row.excluded,
        damaged=status == "failed" and row.reason == DAMAGED,
    )


def _status(row: AnyRow) -> VersionStatus:
    if row.settled_sequence < row.sequence:
        return "queued"
    return "failed" if row.indexed_sequence < row.sequence else "indexed"


def _values(version: Version) -> dict[str, Any]:
    assert version.written is not None
    return {
        **_content(version.written.change),
        "revision": version.revision,
        "content_hash": version.content_hash,
        "sequence": version.sequence,
    }


def _content(change: Save | Delete) -> dict[str, Any]:
    if isinstance(change, Delete):
        return _TOMBSTONE
    page = change.page
    return {
        "document": page.document,
        "url": page.url,
        "title": title(page),
        "kind": page.kind,
        "updated": page.updated,
        "publish_from": page.publish_from,
        "publish_until": page.publish_until,
        "deleted": False,
    }


def _new_row(ref: PageRef, version: Version, excluded: bool) -> dict[str, Any]:
    return {
        **key_of(ref),
        "document": ref.id,
        "url": "",
        "kind": "page",
        "excluded": excluded,
        **_values(version),
    }


def _body(ref: PageRef, version: Version) -> dict[str, Any]:
    assert version.written is not None
    return {**key_of(ref), "body": version.written.body}


def _revise(connection: Connection, stored: Versions, versions: Versions) -> None:
    """Store revisions that came with content the page already has."""
    revised = [
        bound(ref) | {"revision": version.revision}
        for ref, version in versions.items()
        if ref in stored and not version.written and version.revision != stored[ref].revision
    ]
    execute_many(connection, _UPDATE, revised)


def _requeue(connection: Connection, refs: Sequence[PageRef], priority: int, now: datetime) -> None:
    if not refs:
        return
    raised = case((pages.c.priority < priority, priority), else_=pages.c.priority)
    # Asking again does not clear a page that kills its workers; a page that had failed gets a new try.
    tried = case((pages.c.settled_sequence < pages.c.sequence, pages.c.attempts), else_=0)
    values = {
        **as_new(now),
        "attempts": tried,
        "settled_sequence": pages.c.indexed_sequence,
        "priority": raised,
    }
    execute_many(connection, _UPDATE.values(values), [bound(ref) for ref in refs])


def requeue(connection: Connection, source: str, now: datetime) -> None:
    """Make every page of ``source`` due, except deleted ones, as if none had ever been indexed."""
    lock_sequence(connection)
    values = {**as_new(now), "indexed_sequence": 0, "settled_sequence": 0, "priority": _YIELDING}
    connection.execute(update(pages).where(pages.c.source == source, ~pages.c.deleted).values(values))


def requeue_page(connection: Connection, ref: PageRef, now: datetime) -> bool:
    """Make a page due; the index serves it unchanged meanwhile. Return False if it is unknown or deleted."""
    lock_sequence(connection)
    values = {**as_new(now), "settled_sequence": 0, "priority": _YIELDING}
    return connection.execute(update(pages).where(is_page(ref), ~pages.c.deleted).values(values)).rowcount > 0
