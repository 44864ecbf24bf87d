"""Finds pages for editors: by title, address and id, and one with all that is known of it.

Every function works inside the caller's transaction. ``sources``: those that count; ``None`` for all.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, or_, select, tuple_

from app.pages.column_types import storable
from app.pages.queries import ROW_COLUMNS, STATE, record_of
from app.pages.refs import REF_COLUMNS, AnyRow, filled, is_page, ref_of
from app.pages.tables import pages
from app.pages.types import PageDetails, PageRecord, PageState
from ingest.types import PageRef

MOST_WORDS: Final = 8
"""Words of a search that count."""

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


def search(
    connection: Connection,
    text: str,
    *,
    state: PageState | None,
    sources: Collection[str] | None,
    after: PageRef | None,
    limit: int,
) -> list[PageRecord]:
    """Return up to ``limit`` pages by source, id and language, those behind ``after``, that have each word of
    ``text`` in title, address or id."""
    query = _within(select(*ROW_COLUMNS), sources).order_by(*REF_COLUMNS).limit(limit)
    for word in text.split()[:MOST_WORDS]:
        query = query.where(_having(word))
    if state is not None:
        query = query.where(STATE.element == state)
    if after is not None:
        query = query.where(tuple_(*REF_COLUMNS) > (after.source, after.id, after.language))
    return [record_of(row) for row in connection.execute(query)]


def details(
    connection: Connection, ref: PageRef, sources: Collection[str] | None = None
) -> PageDetails | None:
    """Return what is known of a page; ``None`` if nothing is."""
    query = _within(select(*_DETAIL_COLUMNS).where(is_page(ref)), sources)
    row = connection.execute(query).one_or_none()
    return None if row is None else _details(row)


def named(
    connection: Connection, name: str, sources: Collection[str] | None, *, deleted: bool = True
) -> list[PageRef]:
    """Return the pages that have this id, this source and id (``source/id``), or this address with or without
    a slash at its end, ``deleted`` ones too, sorted."""
    address, (source, _, page_id) = name.partition("#")[0].rstrip("/"), name.partition("/")
    names = or_(
        pages.c.id == storable(name),
        and_(pages.c.source == storable(source), pages.c.id == storable(page_id)),
        pages.c.url.in_([storable(each) for each in (name, address, f"{address}/")]),
    )
    query = _within(select(*REF_COLUMNS).where(names), sources)
    query = query if deleted else query.where(~pages.c.deleted)
    return sorted(map(ref_of, connection.execute(query)))


def has_address(connection: Connection, source: str, start: str) -> bool:
    """True if a page of the source, not deleted, has an address that begins so."""
    begins = pages.c.url.startswith(storable(start), autoescape=True)
    query = select(pages.c.id).where(pages.c.source == source, ~pages.c.deleted, begins).limit(1)
    return connection.execute(query).first() is not None


def _within(query: Rows, sources: Collection[str] | None) -> Rows:
    return query if sources is None else query.where(pages.c.source.in_(sorted(sources)))


def _having(word: str) -> ColumnElement[bool]:
    """Databases fold the case of ASCII letters alone."""
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


def _details(row: AnyRow) -> PageDetails:
    return filled(PageDetails, row, record=record_of(row))
