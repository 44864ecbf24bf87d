"""Accepts changes: loads the known versions, lets :mod:`app.pages.acceptance` decide, writes the plan.

Every function works inside the caller's write transaction and first locks the counter, so that batches are
applied one after the other and sequences rise in the order of commits.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, update

from app.errors import InputError, NotFoundError
from app.pages import counters, deletions, queries, tables, versions
from app.pages.acceptance import IncomingChange, page_of, plan
from app.pages.bodies import content_hash, dump_body
from app.pages.refs import REF_COLUMNS, bound, matches_bound, ref_of
from app.pages.tables import pages
from app.pages.types import AcceptResult
from ingest.types import Change, Delete, PageRef, Save

MAX_REVISION: Final = 2**63 - 1


def prepare(change: Change) -> IncomingChange:
    """Compute everything about a change that needs no database. Raises ``InputError`` for an impossible
    revision."""
    revision = change.page.revision if isinstance(change, Save) else change.revision
    if revision is not None and abs(revision) > MAX_REVISION:
        raise InputError(f"revision {revision}: use a number of at most 63 bits")
    if isinstance(change, Delete):
        return IncomingChange(change=change)
    body = dump_body(change.page)
    return IncomingChange(change=change, content_hash=content_hash(change.page, body), body=body)


def accept(
    connection: Connection,
    batch: Sequence[IncomingChange],
    priority: int,
    now: datetime,
    fetched_after: int | None = None,
) -> list[AcceptResult]:
    """Apply a batch, in order, as accepted at ``now``. Pages whose sequence is higher than ``fetched_after``
    stay as they are, unless revisions show which version is newer."""
    sequence = versions.lock_sequence(connection)
    keys = [page_of(item.change) for item in batch]
    stored = versions.load(connection, keys)
    if fetched_after is not None:
        batch = [item for item in batch if not _came_since(item.change, stored, fetched_after)]
    deleted = deletions.load(connection, keys)
    planned = plan(stored, batch, sequence, deleted)
    versions.store(connection, stored, planned, priority, now)
    deletions.store(connection, deleted, planned.deletions)
    accepted = Counter(result.ref.source for result in planned.results if result.status == "accepted")
    counters.add(connection, {(counters.ACCEPTED, source, ""): pages for source, pages in accepted.items()})
    return planned.results


def accept_documents(
    connection: Connection,
    source: str,
    documents: Collection[str],
    batch: Sequence[IncomingChange],
    now: datetime,
) -> list[AcceptResult]:
    """Replace ``documents`` by the saves of ``batch``; their other pages become tombstones."""
    versions.lock_sequence(connection)
    saved = {item.change.page.ref for item in batch if isinstance(item.change, Save)}
    known = {ref for refs in queries.document_refs(connection, source, documents).values() for ref in refs}
    gone = [_deletion(ref, None) for ref in sorted(known - saved)]
    return accept(connection, [*batch, *gone], 0, now)


def set_excluded(
    connection: Connection,
    source: str | None,
    page_id: str,
    now: datetime,
    *,
    excluded: bool,
    language: str | None,
) -> list[PageRef]:
    """Exclude or include a page in all its languages, or in one; each that changes gets a new sequence.

    Return the page in all languages concerned. Raises ``NotFoundError``.
    """
    sequence = versions.lock_sequence(connection)
    query = select(*REF_COLUMNS, pages.c.excluded).where(pages.c.id == page_id)
    if language is not None:
        query = query.where(pages.c.language == language)
    rows = connection.execute(query if source is None else query.where(pages.c.source == source)).all()
    if not rows:
        where = "" if source is None else f" in source {source!r}"
        raise NotFoundError(f"no page has the id {page_id!r}{where}: `auskunft pages` lists them")
    changed = sorted(ref_of(row) for row in rows if row.excluded != excluded)
    statement = (
        update(pages).where(matches_bound(pages)).values(sequence=bindparam("next"), excluded=excluded)
    )
    numbered = [bound(ref) | {"next": number} for number, ref in enumerate(changed, start=sequence + 1)]
    versions.execute_many(connection, statement.values(versions.as_new(now)), numbered)
    versions.save_sequence(connection, sequence + len(changed))
    return sorted(ref_of(row) for row in rows)


def reset_revisions(connection: Connection, source: str) -> None:
    """Forget the revisions of a source's pages, tombstones and deletes in all languages."""
    versions.lock_sequence(connection)
    connection.execute(update(pages).where(pages.c.source == source).values(revision=None))
    connection.execute(delete(tables.deletions).where(tables.deletions.c.source == source))


def _came_since(change: Change, stored: versions.Versions, after: int) -> bool:
    """Return True if, with a sequence above ``after``, the page was deleted, or saved without revisions to
    compare."""
    if not isinstance(change, Save) or (known := stored.get(change.page.ref)) is None:
        return False
    can_compare = not known.deleted and None not in {known.revision, change.page.revision}
    return known.sequence > after and not can_compare


def _deletion(ref: PageRef, revision: int | None) -> IncomingChange:
    return prepare(Delete(source=ref.source, id=ref.id, language=ref.language, revision=revision))
