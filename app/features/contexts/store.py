"""Contexts of chunks written by a language model, and the pages whose chunks lack some.

A context is stored under a key that covers all that it depends on (:mod:`app.features.contexts.chunks`). A
page is *due* while one of its chunks is indexed without a context that can still be written. It is claimed
only while it is at rest in the page queue, so that contexts are written for what is indexed.

* Each context is committed as soon as it is written: a worker that dies loses only those under way.
* Only indexing ends a page's being due. The worker that writes its last context makes it due in the page
  queue. If another process indexes it without the contexts at the same time, it is claimed here once more.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)

from app.features.contexts.tables import CLAIMS, context_outages, context_pages, contexts
from app.pages import counters, page_queue
from app.pages.bulk import INSERTS, chunks
from app.pages.claims import FREE, MAX_ATTEMPTS, pick
from app.pages.column_types import UtcDateTime
from app.pages.database import reading, writing
from app.pages.leases import LeasedStore
from app.pages.refs import KEY, AnyRow, bound, is_page, is_same_page, key_of, matches_bound, ref_of
from app.pages.tables import EPOCH, SERVED, pages
from app.pages.types import Waiting
from app.pages.versions import execute_many
from ingest.types import PageRef

MAX_TRIES: Final = 3
"""Requests for one context before its chunk goes without."""

KEPT: Final = timedelta(days=30)
"""An unused context is kept this long, because an edit may be undone."""

POISON: Final = "every attempt ended with the worker's death, or others indexed the page with other settings"

_REF: Final = (context_pages.c.source, context_pages.c.id, context_pages.c.language)
_MISSING: Final = context_pages.c.chunks - context_pages.c.written - context_pages.c.failed
_DUE: Final = (
    select(*_REF, context_pages.c.attempts, literal(0).label("priority"))
    .join_from(context_pages, pages, is_same_page(context_pages, pages))
    .where(context_pages.c.due, page_queue.AT_REST, SERVED)
    .order_by(context_pages.c.attempts, context_pages.c.noted_at)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownContext:
    """A context, or the number of failed requests for it, with an empty ``text``."""

    text: str
    tries: int

    @property
    def is_failed(self) -> bool:
        """True if it is not requested any more."""
        return not self.text and self.tries >= MAX_TRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContexts:
    """The state of the contexts of a page's version.

    ``keys``: of its chunks, without duplicates. ``recipe``: of model and prompt. ``bytes``: the length of the
    document.
    """

    ref: PageRef
    sequence: int
    recipe: str
    keys: tuple[str, ...]
    written: int
    failed: int
    bytes: int

    @property
    def is_due(self) -> bool:
        """True if a chunk lacks a context that can still be written."""
        return self.written + self.failed < len(self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContexts:
    """The contexts of a source's pages.

    ``written``, ``failed``: of its ``chunks``. ``due``: the number of pages that lack some. ``outdated``:
    pages that were indexed for another model or prompt. ``missing_bytes``: of the documents to be read for
    missing contexts, counted once per chunk.
    """

    source: str
    pages: int
    chunks: int
    written: int
    failed: int
    due: int
    outdated: int
    missing_bytes: int

    @property
    def missing(self) -> int:
        """The number of chunks that lack a context that can still be written."""
        return self.chunks - self.written - self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """The time since which the model is away, and the reason."""

    since: datetime
    reason: str


class ContextStore(LeasedStore):
    """The contexts in ``engine``'s database. ``lease_seconds``: the duration of a claim."""

    def known(self, keys: Iterable[str]) -> dict[str, KnownContext]:
        """Return the stored contexts and failures for these keys."""
        query = select(contexts.c.key, contexts.c.text, contexts.c.tries)
        with reading(self._engine) as connection:
            return {
                row.key: KnownContext(text=row.text, tries=row.tries)
                for some in chunks(sorted(set(keys)))
                for row in connection.execute(query.where(contexts.c.key.in_(some)))
            }

    def note(self, noted: Sequence[PageContexts], removed: Sequence[PageRef] = ()) -> None:
        """Note the contexts that pages are indexed with, and the pages that are ``removed``."""
        if not noted and not removed:
            return
        now = self._clock()
        with writing(self._engine) as connection:
            for page in sorted(noted, key=lambda page: page.ref):
                connection.execute(_NOTES[connection.dialect.name], _noted(page, now))
            gone = delete(context_pages).where(matches_bound(context_pages))
            execute_many(connection, gone, [bound(ref) for ref in sorted(removed)])
            for page in noted:
                _mark_used(connection, page, now)

    def is_due(self) -> bool:
        """Return True if a page can be claimed now."""
        due = _DUE.where(CLAIMS.is_free(self._clock())).limit(1)
        with reading(self._engine) as connection:
            return connection.execute(due).first() is not None

    def claim(self, limit: int, worker: str) -> list[PageRef]:
        """Claim up to ``limit`` due pages and count the attempt. A page that has used up its attempts fails
        instead."""
        if not self.is_due():  # because this takes no lock
            return []
        now = self._clock()
        with writing(self._engine) as connection:
            due = partial(_due, connection, now, limit)
            rows = pick(due, partial(_fail_poisoned, connection), MAX_ATTEMPTS)
            refs = [ref_of(row) for row in rows]
            CLAIMS.take(connection, refs, worker, now + self._lease)
        return refs

    def write(self, ref: PageRef, key: str, text: str, amounts: counters.Amounts) -> None:
        """Store a context. ``amounts``: added to the counters."""
        with writing(self._engine) as connection:
            self._store(connection, ref, key, {"text": text, "reason": ""}, 0)
            raised = context_pages.c.written + case((_MISSING > 0, 1), else_=0)
            connection.execute(update(context_pages).where(_is(ref)).values(written=raised))
            connection.execute(delete(context_outages))
            counters.add(connection, amounts)

    def fail(self, ref: PageRef, key: str, reason: str, amounts: counters.Amounts) -> int:
        """Count a failed try. Return the number of tries so far."""
        with writing(self._engine) as connection:
            tries = self._store(connection, ref, key, {"text": "", "reason": reason}, 1)
            if tries == MAX_TRIES:
                raised = context_pages.c.failed + case((_MISSING > 0, 1), else_=0)
                connection.execute(update(context_pages).where(_is(ref)).values(failed=raised))
            counters.add(connection, amounts)
        return tries

    def complete(self, ref: PageRef, worker: str) -> None:
        """End the claim of a page that is now complete, and have it indexed again."""
        with writing(self._engine) as connection:
            page_queue.rewrite(connection, [ref], self._clock())
            CLAIMS.hand_back(connection, [ref], worker, reason="")

    def complete_pages(self) -> list[PageRef]:
        """Return the pages that are complete but not yet indexed again with their contexts."""
        query = select(*_REF).where(context_pages.c.due, _MISSING == 0).order_by(*_REF)
        return [ref_of(row) for row in self._rows(query)]

    def wait(self, refs: Sequence[PageRef], outcome: Waiting, worker: str) -> None:
        """End claims; the pages come back later. The outcome says whether the attempt counts."""
        with writing(self._engine) as connection:
            CLAIMS.hand_back(connection, sorted(refs), worker, **CLAIMS.waiting(outcome, self._clock()))

    def note_outage(self, reason: str) -> None:
        """Note that the model is away. An earlier start of the outage is kept."""
        with writing(self._engine) as connection:
            new = INSERTS[connection.dialect.name](context_outages)
            again = new.on_conflict_do_update(index_elements=["slot"], set_={"reason": new.excluded.reason})
            connection.execute(again, {"slot": 1, "since": self._clock(), "reason": reason})

    def outage(self) -> Outage | None:
        """Return the outage of the model, or ``None``."""
        row = self._row(select(context_outages))
        return None if row is None else Outage(since=row.since, reason=row.reason)

    def retry(self, source: str | None = None) -> int:
        """Request again everything that failed, in ``source`` or in all. Return the number of chunks."""
        failed = [contexts.c.text == "", contexts.c.tries >= MAX_TRIES]
        again = [context_pages.c.failed > 0]
        if source is not None:
            failed.append(contexts.c.source == source)
            again.append(context_pages.c.source == source)
        with writing(self._engine) as connection:
            count = connection.scalar(
                select(func.coalesce(func.sum(context_pages.c.failed), 0)).where(*again)
            )
            connection.execute(delete(contexts).where(*failed))
            due = {"due": True, "failed": 0, "attempts": 0, "next_attempt_at": EPOCH, "reason": ""}
            connection.execute(update(context_pages).where(*again).values(due))
        return int(count or 0)

    def counts(self, recipes: Sequence[str] = (), bytes_read: int = 0) -> list[SourceContexts]:
        """Return the counts of each source that has any, sorted.

        ``recipes``: of the current model and prompts. ``bytes_read``: the most of a document that is read for
        one chunk.
        """
        read = case((context_pages.c.bytes > bytes_read, bytes_read), else_=context_pages.c.bytes)
        query = select(
            context_pages.c.source,
            func.count().label("pages"),
            *(_sum(context_pages.c[name], name) for name in ("chunks", "written", "failed")),
            _sum(cast(context_pages.c.due, Integer), "due"),
            _sum(case((context_pages.c.recipe.not_in(recipes), 1), else_=0), "outdated"),
            _sum(_MISSING * read, "missing_bytes"),
        )
        query = query.group_by(context_pages.c.source).order_by(context_pages.c.source)
        return [SourceContexts(**row._mapping) for row in self._rows(query)]

    def reasons(self) -> dict[str, Counter[str]]:
        """Return the reasons for failures in each source, with the number of chunks."""
        failed = contexts.c.text == "", contexts.c.tries >= MAX_TRIES
        query = select(contexts.c.source, contexts.c.reason, func.count().label("chunks")).where(*failed)
        found: dict[str, Counter[str]] = {}
        with reading(self._engine) as connection:
            for row in connection.execute(query.group_by(contexts.c.source, contexts.c.reason)):
                found.setdefault(row.source, Counter())[row.reason] = row.chunks
        return found

    def prune(self) -> int:
        """Delete contexts that no page has used for a while. Return their number."""
        used = exists(
            select(context_pages.c.id).where(
                is_same_page(context_pages, contexts), context_pages.c.sequence <= contexts.c.sequence
            )
        )
        old = delete(contexts).where(contexts.c.last_used < self._clock() - KEPT, ~used)
        with writing(self._engine) as connection:
            return connection.execute(old).rowcount

    def _store(
        self, connection: Connection, ref: PageRef, key: str, values: Mapping[str, Any], tries: int
    ) -> int:
        """Insert or update a context's row; return its failed tries."""
        new = INSERTS[connection.dialect.name](contexts)
        raised = {**values, "tries": contexts.c.tries + tries}
        stored = new.on_conflict_do_update(index_elements=["key"], set_=raised).returning(contexts.c.tries)
        row = {"key": key, **key_of(ref), **values, "sequence": 0, "tries": tries, "last_used": self._clock()}
        return int(connection.execute(stored.values(row)).scalar_one())


def _is(ref: PageRef) -> ColumnElement[bool]:
    return is_page(ref, context_pages)


def _sum(value: ColumnElement[Any], name: str) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value), 0), BigInteger).label(name)


def _noting(insert: Any) -> Any:
    """The statement that notes a page, unless a later version of it is already noted."""
    new = insert(context_pages)
    is_new = context_pages.c.sequence < new.excluded.sequence
    fresh = or_(is_new, ~new.excluded.due)
    noted = ("sequence", "recipe", "due", "chunks", "written", "failed", "bytes", "noted_at")
    values = {
        **{name: new.excluded[name] for name in noted},
        "attempts": case((fresh, 0), else_=context_pages.c.attempts),
        "next_attempt_at": case(
            (fresh, literal(EPOCH, UtcDateTime())), else_=context_pages.c.next_attempt_at
        ),
        "reason": case((fresh, ""), else_=context_pages.c.reason),
    }
    is_current = context_pages.c.sequence <= new.excluded.sequence
    return new.on_conflict_do_update(index_elements=KEY, set_=values, where=is_current)


_NOTES: Final = {name: _noting(insert) for name, insert in INSERTS.items()}


def _noted(page: PageContexts, now: datetime) -> dict[str, Any]:
    return {
        **key_of(page.ref),
        **FREE,
        "sequence": page.sequence,
        "recipe": page.recipe,
        "due": page.is_due,
        "chunks": len(page.keys),
        "written": page.written,
        "failed": page.failed,
        "bytes": page.bytes,
        "noted_at": now,
        "attempts": 0,
        "next_attempt_at": EPOCH,
        "reason": "",
    }


def _mark_used(connection: Connection, page: PageContexts, now: datetime) -> None:
    """Mark the page's contexts as used by this version. Rows locked by another transaction are skipped to
    avoid deadlocks."""
    values = {**key_of(page.ref), "sequence": page.sequence, "last_used": now}
    same = and_(is_page(page.ref, contexts), contexts.c.sequence == page.sequence)
    for some in chunks(page.keys):
        unmarked = select(contexts.c.key).where(contexts.c.key.in_(some), ~same)
        found = connection.scalars(unmarked.with_for_update(skip_locked=True)).all()
        marked = update(contexts).where(contexts.c.key == bindparam("of_key")).values(values)
        execute_many(connection, marked, [{"of_key": key} for key in found])


def _due(connection: Connection, now: datetime, limit: int) -> list[AnyRow]:
    query: Select[Any] = _DUE.where(CLAIMS.is_free(now)).limit(limit)
    return list(connection.execute(query.with_for_update(skip_locked=True, of=context_pages)))


def _fail_poisoned(connection: Connection, rows: Sequence[AnyRow]) -> None:
    failed = {**FREE, "due": False, "failed": context_pages.c.chunks - context_pages.c.written}
    poisoned = update(context_pages).where(matches_bound(context_pages)).values({**failed, "reason": POISON})
    execute_many(connection, poisoned, [bound(ref_of(row)) for row in rows])
