"""Queries of pages, for people and for retrieval."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Final, TypeVar, get_args

from sqlalchemy import Connection, Engine, and_, bindparam, case, func, or_, select, tuple_

from app.errors import NotFoundError
from app.pages.bulk import chunks
from app.pages.column_types import storable
from app.pages.database import Store, reading
from app.pages.page_queue import AT_REST, QUEUED
from app.pages.refs import REF_COLUMNS, AnyRow, by_source, from_row, has_id, is_page, ref_of
from app.pages.tables import SERVED, pages
from app.pages.types import PageRecord, PageState, PageVersion
from ingest.types import PageRef

BATCH_ROWS: Final = 500

MOST_TITLES: Final = 100
"""Maximum number of titles that are searched for compounds."""

Listed = TypeVar("Listed", PageRecord, PageVersion)

STATE: Final = case(
    (and_(QUEUED, pages.c.reason != ""), "waiting"),
    (QUEUED, "pending"),
    (pages.c.indexed_sequence < pages.c.sequence, "failed"),
    (pages.c.deleted, "deleted"),
    (pages.c.excluded, "excluded"),
    else_="indexed",
).label("state")
"""The queue takes precedence: a deleted page is ``pending`` until the index has dropped it."""

ROW_COLUMNS: Final = (
    *REF_COLUMNS,
    pages.c.document,
    pages.c.url,
    pages.c.title,
    pages.c.reason,
    pages.c.message,
    pages.c.sequence,
    pages.c.indexed_at,
    STATE,
)

_VERSION_COLUMNS: Final = (
    *REF_COLUMNS,
    pages.c.sequence,
    SERVED.label("served"),
    and_(STATE.element == "failed", pages.c.reason == "poison").label("poison"),
    AT_REST.label("at_rest"),
)

_KEPT_SOURCE: Final = select(func.min(pages.c.source).label("source")).where(~pages.c.deleted)
_names = _KEPT_SOURCE.cte("names", recursive=True)
_next = _KEPT_SOURCE.where(pages.c.source > _names.c.source).scalar_subquery()
_names = _names.union_all(select(_next).where(_names.c.source.is_not(None)))
_SOURCES: Final = select(_names.c.source).where(_names.c.source.is_not(None)).order_by(_names.c.source)
"""Looks up the first source, then the next one, and so on. Every question runs this query, and reading the
source of each page would take long if there are many."""

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)

_VISIBLE: Final = select(*REF_COLUMNS).where(
    pages.c.source.in_(bindparam("sources", expanding=True)),
    pages.c.id.in_(bindparam("ids", expanding=True)),
    SERVED,
    or_(pages.c.publish_from.is_(None), pages.c.publish_from.between(_EARLIEST, bindparam("now"))),
    or_(
        pages.c.publish_until.is_(None),
        and_(pages.c.publish_until > bindparam("now"), pages.c.publish_until <= _LATEST),
    ),
)
"""The limits hide pages with a damaged time, which sorts before or after all others.

Built once, because every question runs it and building a statement takes longer than executing it."""


class PageQueries(Store):
    """Reads of the pages in ``engine``'s database, one transaction each."""

    def versions(self) -> Iterator[PageVersion]:
        """Every page's newest version, read in batches. Pages that come in meanwhile may be left out."""
        return in_batches(self._engine, _versions)

    def has_indexed(self) -> bool:
        """Return True if any page has ever been indexed, even if it is to be written again."""
        return self._row(select(pages.c.id).where(pages.c.indexed_at.is_not(None)).limit(1)) is not None

    def hidden(self, refs: Collection[PageRef], now: datetime) -> set[PageRef]:
        """Return the pages among ``refs`` that must not be shown: deleted, excluded, unknown, not yet or no
        longer published (``publish_from <= now < publish_until``)."""
        shown: set[tuple[str, ...]] = set()
        with reading(self._engine) as connection:
            for some in chunks(list(refs)):
                sources, ids = list({ref.source for ref in some}), list({ref.id for ref in some})
                rows = connection.execute(_VISIBLE, {"sources": sources, "ids": ids, "now": now})
                shown.update(map(tuple, rows))
        return {ref for ref in refs if (ref.source, ref.id, ref.language) not in shown}

    def refs(self, source: str) -> list[PageRef]:
        """The pages of ``source`` that are not deleted, sorted."""
        query = select(*REF_COLUMNS).where(pages.c.source == source, ~pages.c.deleted)
        return sorted(ref_of(row) for row in self._rows(query))

    def with_ids(self, sources: Collection[str], ids: Collection[str]) -> list[PageRef]:
        """The pages of these sources with one of these ids, in any language, without deleted ones."""
        query = select(*REF_COLUMNS).where(has_id(), ~pages.c.deleted)
        with reading(self._engine) as connection:
            asked = by_source(product(sources, ids))
            return [ref_of(row) for some in asked for row in connection.execute(query, some)]

    def titles_like(self, sources: Collection[str], part: str) -> list[str]:
        """The titles of pages of these sources that contain ``part``, which is in lower case; at most
        ``MOST_TITLES``. "_" stands for any letter."""
        has_part = func.lower(pages.c.title).like(f"%{part}%")
        query = select(pages.c.title).where(pages.c.source.in_(sources), ~pages.c.deleted, has_part)
        return [row.title for row in self._rows(query.distinct().limit(MOST_TITLES))]

    def missing(self, source: str, present: Collection[str]) -> list[PageRef]:
        """The pages of ``source`` whose document is not among ``present``, without deleted ones, sorted."""
        documents = {storable(document) for document in present}
        query = select(*REF_COLUMNS, pages.c.document).where(pages.c.source == source, ~pages.c.deleted)
        return sorted(ref_of(row) for row in self._rows(query) if row.document not in documents)

    def document_refs(self, source: str, documents: Collection[str]) -> dict[str, list[PageRef]]:
        """Map each of these documents of ``source`` to its pages, sorted; leave out deleted pages, and
        documents without pages."""
        with reading(self._engine) as connection:
            return document_refs(connection, source, documents)

    def snapshot(self, ref: PageRef) -> PageRecord:
        """Return the record of one page. Raises ``NotFoundError``."""
        row = self._row(select(*ROW_COLUMNS).where(is_page(ref)))
        if row is None:
            raise unknown_page(ref)
        return record_of(row)

    def counts(self, source: str | None = None) -> dict[PageState, int]:
        """Count the pages in each state that occurs, in the order of the states."""
        query = select(STATE, func.count().label("pages")).group_by(STATE.name)
        if source is not None:
            query = query.where(pages.c.source == source)
        found = {row.state: row.pages for row in self._rows(query)}
        return {state: found[state] for state in get_args(PageState) if state in found}

    def counts_by_source(self) -> dict[str, dict[PageState, int]]:
        """The counts of each source that has pages, sorted, in the order of the states."""
        query = select(pages.c.source, STATE, func.count().label("pages"))
        with reading(self._engine) as connection:
            rows = connection.execute(query.group_by(pages.c.source, STATE.name))
            found = {(row.source, row.state): row.pages for row in rows}
            return {
                source: {
                    state: found[source, state] for state in get_args(PageState) if (source, state) in found
                }
                for source in connection.scalars(_SOURCES)
            }

    def sources(self) -> list[str]:
        """The sources that have pages, sorted."""
        return [row.source for row in self._rows(_SOURCES)]


def in_batches(
    engine: Engine, batch: Callable[[Connection, PageRef | None], Sequence[Listed]]
) -> Iterator[Listed]:
    """Read everything batch by batch, so that no transaction lasts long. Pages that come in meanwhile may be
    left out."""
    after: PageRef | None = None
    while True:
        with reading(engine) as connection:
            found = batch(connection, after)
        yield from found
        if len(found) < BATCH_ROWS:
            return
        after = found[-1].ref


def _versions(connection: Connection, after: PageRef | None) -> list[PageVersion]:
    """Up to ``BATCH_ROWS`` newest versions after the page ``after``, by source, id and language."""
    query = select(*_VERSION_COLUMNS).order_by(*REF_COLUMNS).limit(BATCH_ROWS)
    if after is not None:
        query = query.where(tuple_(*REF_COLUMNS) > (after.source, after.id, after.language))
    return [from_row(PageVersion, row, ref=ref_of(row)) for row in connection.execute(query)]


def document_refs(
    connection: Connection, source: str, documents: Collection[str]
) -> dict[str, list[PageRef]]:
    """Map each of these documents to its pages, sorted; leave out deleted pages, and documents without
    any."""
    query = select(*REF_COLUMNS, pages.c.document).where(pages.c.source == source, ~pages.c.deleted)
    found: dict[str, list[PageRef]] = defaultdict(list)
    for some in chunks(sorted(documents)):
        for row in connection.execute(query.where(pages.c.document.in_(some)).order_by(*REF_COLUMNS)):
            found[row.document].append(ref_of(row))
    return found


def unknown_page(ref: PageRef) -> NotFoundError:
    """Make the error for a page that does not exist."""
    return NotFoundError(f"no page has the id {ref.id!r} ({ref.language}) in source {ref.source!r}")


def record_of(row: AnyRow) -> PageRecord:
    """Make a record from a row with ``ROW_COLUMNS``."""
    reason = ": ".join(filter(None, (row.reason, row.message)))
    return from_row(PageRecord, row, ref=ref_of(row), reason=reason)
