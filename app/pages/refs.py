"""Page references in SQL: columns, conditions and parameters."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Row, Table, and_, bindparam, false, or_

from app.pages.bulk import chunks
from app.pages.tables import pages
from ingest.types import PageRef

T = TypeVar("T")

AnyRow = Row[*tuple[Any, ...]]

KEY: Final = ("source", "id", "language")
REF_COLUMNS: Final = (pages.c.source, pages.c.id, pages.c.language)


def from_row(kind: type[T], row: AnyRow, **values: Any) -> T:
    """Make a dataclass from these ``values``, and its other fields from the columns of the same names."""
    names = [each.name for each in fields(kind) if each.name not in values]  # type: ignore[arg-type]
    return kind(**{name: getattr(row, name) for name in names}, **values)


def ref_of(row: AnyRow) -> PageRef:
    """The reference in a row that has the columns of ``REF_COLUMNS``."""
    return PageRef(source=row.source, id=row.id, language=row.language)


def is_among(refs: Sequence[PageRef]) -> ColumnElement[bool]:
    """The condition that a page is one of ``refs`` (one chunk of them).

    It uses neither ``IN`` over tuples, because SQLite would read the whole table, nor one ``AND`` per
    reference.
    """
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for ref in refs:
        ids[ref.source, ref.language].append(ref.id)
    groups = (
        and_(pages.c.source == source, pages.c.language == language, pages.c.id.in_(some))
        for (source, language), some in ids.items()
    )
    return or_(false(), *groups)


def has_id(table: Table = pages) -> ColumnElement[bool]:
    """The condition for pages in any language, with parameters from :func:`by_source`."""
    return and_(table.c.source == bindparam("source"), table.c.id.in_(bindparam("ids", expanding=True)))


def by_source(keys: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of :func:`has_id` for these sources and ids, chunk by chunk."""
    ids: dict[str, set[str]] = defaultdict(set)
    for source, page_id in keys:
        ids[source].add(page_id)
    for source, some in ids.items():
        for chunk in chunks(sorted(some)):
            yield {"source": source, "ids": chunk}


def key_of(ref: PageRef) -> dict[str, str]:
    """The values of the columns ``KEY``."""
    return {"source": ref.source, "id": ref.id, "language": ref.language}


def is_page(ref: PageRef, table: Table = pages) -> ColumnElement[bool]:
    """The condition that a row belongs to the page ``ref``."""
    return and_(*(table.c[name] == value for name, value in key_of(ref).items()))


def is_same_page(one: Table, other: Table) -> ColumnElement[bool]:
    """The condition that rows of two tables belong to the same page."""
    return and_(*(one.c[name] == other.c[name] for name in KEY))


def matches_bound(table: Table) -> ColumnElement[bool]:
    """The condition that a row belongs to one page, with parameters from :func:`bound`."""
    return and_(*(table.c[name] == bindparam(f"of_{name}") for name in KEY))


def bound(ref: PageRef) -> dict[str, str]:
    """The parameters of :func:`matches_bound`."""
    return {"of_source": ref.source, "of_id": ref.id, "of_language": ref.language}
