"""Lists of pages for people: on the command line, in the status of a site, for the CMS that sent them."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, tuple_

from app.pages import announcements, page_versions
from app.pages.bodies import DAMAGED
from app.pages.bulk import chunks
from app.pages.column_types import storable
from app.pages.database import Store, reading
from app.pages.page_versions import VersionDocument
from app.pages.queries import BATCH_ROWS, ROW_COLUMNS, STATE, in_batches, record_of, unknown_page
from app.pages.refs import REF_COLUMNS, from_row, is_among, is_page, ref_of
from app.pages.tables import pages, rejected
from app.pages.types import PageDetails, PageRecord, PageState, RejectionDocument
from ingest.types import PageRef

LISTED: Final = 50
"""Default number of pages in one part of a list."""

MOST_WORDS: Final = 8
"""Number of words of a search that count; further ones are ignored."""

Rows = Select[*tuple[Any, ...]]

_ESCAPE: Final = "\\"
_SEARCHED: Final = (pages.c.title, pages.c.url, pages.c.id)
_DETAIL_COLUMNS: Final = (
    *ROW_COLUMNS,
    pages.c.kind,
    pages.c.deleted,
    pages.c.excluded,
    pages.c.publish_from,
    pages.c.publish_until,
    pages.c.updated,
    pages.c.revision,
    pages.c.indexed_sequence,
    pages.c.accepted_at,
    pages.c.failed_at,
    pages.c.attempts,
)


class PageList(Store):
    """The pages in ``engine``'s database. ``sources``: only pages of these sources, ``None`` for all.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def records(self, source: str | None = None, state: PageState | None = None) -> Iterator[PageRecord]:
        """Yield every page by source, id and language, in batches so that no read lasts long."""
        return in_batches(self._engine, partial(_records, source=source, state=state))

    def search(
        self,
        text: str = "",
        *,
        state: PageState | None = None,
        sources: Collection[str] | None = None,
        after: PageRef | None = None,
        limit: int = LISTED,
    ) -> list[PageRecord]:
        """Return up to ``limit`` pages after the page ``after``, by source, id and language, that have each
        word of ``text`` in title, address or id."""
        query = _within(select(*ROW_COLUMNS), sources).order_by(*REF_COLUMNS).limit(limit)
        for word in text.split()[:MOST_WORDS]:
            query = query.where(_having(word))
        return [record_of(row) for row in self._rows(_narrowed(query, state, after))]

    def details(self, ref: PageRef, sources: Collection[str] | None = None) -> PageDetails:
        """Everything known about a page, except its text. Raises ``NotFoundError``, also if the page is not
        of these ``sources``."""
        found = self.find_details(ref, sources)
        if found is None:
            raise unknown_page(ref)
        return found

    def find_details(self, ref: PageRef, sources: Collection[str] | None = None) -> PageDetails | None:
        """As :meth:`details`, but ``None`` if the page is unknown or only announced."""
        row = self._row(_within(select(*_DETAIL_COLUMNS).where(is_page(ref)), sources))
        return None if row is None else from_row(PageDetails, row, record=record_of(row))

    def known(self, refs: Collection[PageRef]) -> list[PageRecord]:
        """Return the known pages among ``refs``."""
        with reading(self._engine) as connection:
            queries = (select(*ROW_COLUMNS).where(is_among(some)) for some in chunks(sorted(refs)))
            return [record_of(row) for query in queries for row in connection.execute(query)]

    def versions(self, ref: PageRef, limit: int) -> list[VersionDocument]:
        """The accepted versions of a page that are known, the newest first."""
        with reading(self._engine) as connection:
            return page_versions.accepted_versions(connection, ref, limit)

    def named(
        self, name: str, sources: Collection[str] | None = None, *, deleted: bool = True
    ) -> list[PageRef]:
        """Return the pages with this id, this source and id (``source/id``), or this address with or without
        a trailing slash, sorted; including ``deleted`` ones."""
        address, (source, _, page_id) = name.partition("#")[0].rstrip("/"), name.partition("/")
        names = or_(
            pages.c.id == storable(name),
            and_(pages.c.source == storable(source), pages.c.id == storable(page_id)),
            pages.c.url.in_([storable(each) for each in (name, address, f"{address}/")]),
        )
        query = _within(select(*REF_COLUMNS).where(names), sources)
        query = query if deleted else query.where(~pages.c.deleted)
        return sorted(map(ref_of, self._rows(query)))

    def has_address(self, source: str, start: str) -> bool:
        """Return True if the address of a page of the source, not deleted, begins with ``start``."""
        begins = pages.c.url.startswith(storable(start), autoescape=True)
        query = select(pages.c.id).where(pages.c.source == source, ~pages.c.deleted, begins).limit(1)
        return self._row(query) is not None

    def languages_of(self, source: str, page_id: str) -> list[PageRecord]:
        """Return one page in each of its languages, empty if it is unknown. Announced ones are pending."""
        query = select(*ROW_COLUMNS).where(pages.c.source == source, pages.c.id == page_id)
        with reading(self._engine) as connection:
            known = [record_of(row) for row in connection.execute(query.order_by(pages.c.language))]
            return announcements.with_announced(connection, source, page_id, known)

    def damaged(self) -> int:
        """Count the pages that failed because their stored data is damaged."""
        query = select(func.count()).where(STATE.element == "failed", pages.c.reason == DAMAGED)
        with reading(self._engine) as connection:
            found: int = connection.execute(query).scalar_one()
        return found

    def rejected(self, source: str | None = None) -> list[RejectionDocument]:
        """The documents that could not be read, by source and name."""
        query = select(rejected).order_by(rejected.c.source, rejected.c.document)
        if source is not None:
            query = query.where(rejected.c.source == source)
        return [RejectionDocument.from_objects(row) for row in self._rows(query)]


def _records(
    connection: Connection, after: PageRef | None, *, source: str | None, state: PageState | None
) -> list[PageRecord]:
    """Return up to ``BATCH_ROWS`` pages after the page ``after``, by source, id and language."""
    query = select(*ROW_COLUMNS).order_by(*REF_COLUMNS).limit(BATCH_ROWS)
    if source is not None:
        query = query.where(pages.c.source == source)
    return [record_of(row) for row in connection.execute(_narrowed(query, state, after))]


def _narrowed(query: Rows, state: PageState | None, after: PageRef | None) -> Rows:
    """Narrow a query to pages in that state, and to pages after ``after``."""
    if state is not None:
        query = query.where(STATE.element == state)
    if after is not None:
        query = query.where(tuple_(*REF_COLUMNS) > (after.source, after.id, after.language))
    return query


def _within(query: Rows, sources: Collection[str] | None) -> Rows:
    return query if sources is None else query.where(pages.c.source.in_(sorted(sources)))


def _having(word: str) -> ColumnElement[bool]:
    """The condition that a page contains a word. Databases fold the case of ASCII letters only, so other
    words are searched in several spellings."""
    escaped = word
    for special in (_ESCAPE, "%", "_"):
        escaped = escaped.replace(special, _ESCAPE + special)
    spellings = sorted({escaped.lower(), escaped.upper(), escaped.capitalize()})
    return or_(
        *(
            column.ilike(f"%{spelling}%", escape=_ESCAPE)
            for column in _SEARCHED
            for spelling in (spellings if not word.isascii() else [escaped])
        )
    )
