"""Contexts of chunks that a language model wrote, and the pages whose chunks lack some.

A context is known by a key that says all that it depends on (:mod:`app.features.contexts.chunks`). A page is
*due* while a chunk of it was indexed without a context that can be had; it is claimed only while it is at
rest in the page queue, so that contexts are written for what is indexed.

* A context is committed as soon as it is there: who dies loses those that are being written.
* Only indexing says that a page is due no more. Who has written its last context makes it due in the page
  queue; if that is undone by somebody who indexed it meanwhile without, it is claimed here once more.
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
from app.pages.bulk_insert import INSERTS
from app.pages.claims import FREE, MAX_ATTEMPTS, pick
from app.pages.column_types import UtcDateTime
from app.pages.database import reading, writing
from app.pages.leases import LeasedStore
from app.pages.refs import KEY, AnyRow, bound, chunks, is_bound, is_page, is_same_page, key_of, ref_of
from app.pages.tables import EPOCH, pages
from app.pages.types import Waiting
from app.pages.versions import execute_many
from ingest.types import PageRef

MAX_TRIES: Final = 3
"""How often the model is asked for one context before its chunk goes without."""

KEPT: Final = timedelta(days=30)
"""How long a context is kept that no page uses: an edit may be taken back."""

POISON: Final = "every attempt ended with the worker's death, or others indexed the page with other settings"

_REF: Final = (context_pages.c.source, context_pages.c.id, context_pages.c.language)
_MISSING: Final = context_pages.c.chunks - context_pages.c.written - context_pages.c.failed
_DUE: Final = (
    select(*_REF, context_pages.c.attempts, literal(0).label("priority"))
    .join_from(context_pages, pages, is_same_page(context_pages, pages))
    .where(context_pages.c.due, page_queue.AT_REST, page_queue.SERVED)
    .order_by(context_pages.c.attempts, context_pages.c.noted_at)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownContext:
    """A context, or how often it was asked for in vain: then ``text`` is empty."""

    text: str
    tries: int

    @property
    def is_failed(self) -> bool:
        """True if it is not asked for any more."""
        return not self.text and self.tries >= MAX_TRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContexts:
    """What is known of the contexts of a page's version. ``keys``: of its chunks, each once; ``recipe``: of
    model and prompt; ``bytes``: of the document."""

    ref: PageRef
    sequence: int
    recipe: str
    keys: tuple[str, ...]
    written: int
    failed: int
    bytes: int

    @property
    def is_due(self) -> bool:
        """True if a chunk lacks a context that can be had."""
        return self.written + self.failed < len(self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContexts:
    """The contexts of a source's pages: of ``chunks`` so many are ``written`` and ``failed``; ``due`` pages
    lack some. ``outdated``: pages that were indexed for another model or prompt. ``missing_bytes``: of the
    documents that have to be read for what is missing, once for each chunk."""

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
        """How many chunks lack a context that can be had."""
        return self.chunks - self.written - self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Since when the model is away, and why."""

    since: datetime
    reason: str


class ContextStore(LeasedStore):
    """The contexts in ``engine``'s database; ``lease_seconds``: how long a claim is good for."""

    def known(self, keys: Iterable[str]) -> dict[str, KnownContext]:
        """What is known of those of ``keys`` that the model was asked for."""
        query = select(contexts.c.key, contexts.c.text, contexts.c.tries)
        with reading(self._engine) as connection:
            return {
                row.key: KnownContext(text=row.text, tries=row.tries)
                for some in chunks(sorted(set(keys)))
                for row in connection.execute(query.where(contexts.c.key.in_(some)))
            }

    def note(self, noted: Sequence[PageContexts], removed: Sequence[PageRef] = ()) -> None:
        """Note which contexts pages are indexed with, and which pages are ``removed``."""
        if not noted and not removed:
            return
        now = self._clock()
        with writing(self._engine) as connection:
            for page in sorted(noted, key=lambda page: page.ref):
                connection.execute(_NOTES[connection.dialect.name], _noted(page, now))
            gone = delete(context_pages).where(is_bound(context_pages))
            execute_many(connection, gone, [bound(ref) for ref in sorted(removed)])
            for page in noted:
                _mark_used(connection, page, now)

    def is_due(self) -> bool:
        """True if a page can be claimed now."""
        due = _DUE.where(CLAIMS.is_free(self._clock())).limit(1)
        with reading(self._engine) as connection:
            return connection.execute(due).first() is not None

    def claim(self, limit: int, worker: str) -> list[PageRef]:
        """Claim up to ``limit`` pages that are due and count the attempt. A page that has used up its
        attempts fails instead."""
        if not self.is_due():  # which takes no lock
            return []
        now = self._clock()
        with writing(self._engine) as connection:
            due = partial(_due, connection, now, limit)
            rows = pick(due, partial(_fail_poisoned, connection), MAX_ATTEMPTS)
            refs = [ref_of(row) for row in rows]
            CLAIMS.take(connection, refs, worker, now + self._lease)
        return refs

    def write(self, ref: PageRef, key: str, text: str, amounts: counters.Amounts) -> None:
        """Store a context. ``amounts``: what it took."""
        with writing(self._engine) as connection:
            self._store(connection, ref, key, {"text": text, "reason": ""}, 0)
            raised = context_pages.c.written + case((_MISSING > 0, 1), else_=0)
            connection.execute(update(context_pages).where(_is(ref)).values(written=raised))
            connection.execute(delete(context_outages))
            counters.add(connection, amounts)

    def fail(self, ref: PageRef, key: str, reason: str, amounts: counters.Amounts) -> int:
        """Count a try in vain. Returns how often it was tried."""
        with writing(self._engine) as connection:
            tries = self._store(connection, ref, key, {"text": "", "reason": reason}, 1)
            if tries == MAX_TRIES:
                raised = context_pages.c.failed + case((_MISSING > 0, 1), else_=0)
                connection.execute(update(context_pages).where(_is(ref)).values(failed=raised))
            counters.add(connection, amounts)
        return tries

    def complete(self, ref: PageRef, worker: str) -> None:
        """End the claim of a page that lacks nothing any more, and have it indexed again."""
        with writing(self._engine) as connection:
            page_queue.rewrite(connection, [ref], self._clock())
            CLAIMS.hand_back(connection, [ref], worker, reason="")

    def complete_pages(self) -> list[PageRef]:
        """The pages that lack nothing any more, and have to be indexed again with what they have."""
        query = select(*_REF).where(context_pages.c.due, _MISSING == 0).order_by(*_REF)
        return [ref_of(row) for row in self._rows(query)]

    def wait(self, refs: Sequence[PageRef], outcome: Waiting, worker: str) -> None:
        """End claims; the pages come back later, and the attempt counts as the outcome says."""
        with writing(self._engine) as connection:
            CLAIMS.hand_back(connection, sorted(refs), worker, **CLAIMS.waiting(outcome, self._clock()))

    def note_outage(self, reason: str) -> None:
        """Note that the model is away, since now if it was not."""
        with writing(self._engine) as connection:
            new = INSERTS[connection.dialect.name](context_outages)
            again = new.on_conflict_do_update(index_elements=["slot"], set_={"reason": new.excluded.reason})
            connection.execute(again, {"slot": 1, "since": self._clock(), "reason": reason})

    def outage(self) -> Outage | None:
        """The outage of the model, if it is away."""
        row = self._row(select(context_outages))
        return None if row is None else Outage(since=row.since, reason=row.reason)

    def retry(self, source: str | None = None) -> int:
        """Ask again for all that failed, of ``source`` or of all. Returns how many chunks that are."""
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
        """The counts of each source that has any, sorted. ``recipes``: of the present model and prompts;
        ``bytes_read``: the most of a document that is read for one chunk."""
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
        """Why contexts of each source could not be written, and how many."""
        failed = contexts.c.text == "", contexts.c.tries >= MAX_TRIES
        query = select(contexts.c.source, contexts.c.reason, func.count().label("chunks")).where(*failed)
        found: dict[str, Counter[str]] = {}
        with reading(self._engine) as connection:
            for row in connection.execute(query.group_by(contexts.c.source, contexts.c.reason)):
                found.setdefault(row.source, Counter())[row.reason] = row.chunks
        return found

    def prune(self) -> int:
        """Delete contexts that no page has used for a while. Returns how many."""
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
        """Insert or change a context's row; how often it was tried in vain."""
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
    """The statement that notes a page: what was noted of a later version stays."""
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
    """Let the page's contexts say that its version uses them. Skips those that another transaction has
    locked, so that no two wait for each other."""
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
    poisoned = update(context_pages).where(is_bound(context_pages)).values({**failed, "reason": POISON})
    execute_many(connection, poisoned, [bound(ref_of(row)) for row in rows])
