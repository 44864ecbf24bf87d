"""Stores contradictions, and the versions of pages that were compared."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, or_, select, update

from app.errors import NotFoundError
from app.features.contradictions.tables import compared_pages, contradictions
from app.pages import audit
from app.pages.database import Store, reading, writing
from app.pages.page_queue import AT_REST
from app.pages.refs import REF_COLUMNS, AnyRow, ref_of
from app.pages.tables import SERVED, pages
from ingest.types import PageRef

LISTED: Final = 50
"""Contradictions in one page of the list, unless the caller gives a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A statement of a page."""

    ref: PageRef
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundContradiction:
    """Two statements that contradict each other, and the ``kind`` of the values that differ."""

    one: Passage
    other: Passage
    kind: str

    @property
    def pair(self) -> str:
        """A hash of both pages and texts that does not depend on their order."""
        sides = sorted(
            "\n".join((each.ref.source, each.ref.id, each.ref.language, each.text))
            for each in (self.one, self.other)
        )
        return sha256("\n\n".join(sides).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContradiction:
    """A contradiction as listed. ``dismissed_by``: who dismissed it; empty if nobody has."""

    number: int
    found: FoundContradiction
    found_at: datetime
    dismissed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePage:
    """A page whose newest version has not been compared."""

    ref: PageRef
    sequence: int


class ContradictionStore(Store):
    """The contradictions in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def due(self, limit: int) -> list[DuePage]:
        """Return up to ``limit`` served pages whose newest version has not been compared."""
        compared = exists().where(
            compared_pages.c.source == pages.c.source,
            compared_pages.c.id == pages.c.id,
            compared_pages.c.language == pages.c.language,
            compared_pages.c.sequence >= pages.c.sequence,
        )
        columns = (*REF_COLUMNS, pages.c.sequence)
        query = select(*columns).where(AT_REST, SERVED, ~compared).order_by(*REF_COLUMNS).limit(limit)
        return [DuePage(ref=ref_of(row), sequence=row.sequence) for row in self._rows(query)]

    def replace(self, page: DuePage, found: Sequence[FoundContradiction]) -> None:
        """Replace the contradictions of a page. Dismissals are kept while both texts stay the same."""
        new = {each.pair: each for each in found}
        names = {"source": page.ref.source, "id": page.ref.id, "language": page.ref.language}
        with writing(self._engine) as connection:
            known = set(connection.execute(select(contradictions.c.pair).where(_of(page.ref))).scalars())
            gone = contradictions.c.pair.in_(known - new.keys())
            connection.execute(delete(contradictions).where(gone))
            for pair in new.keys() - known:
                connection.execute(insert(contradictions).values(self._columns(new[pair])))
            same = [compared_pages.c[name] == value for name, value in names.items()]
            connection.execute(delete(compared_pages).where(*same))
            connection.execute(insert(compared_pages).values(names | {"sequence": page.sequence}))

    def partners(self, ref: PageRef) -> list[PageRef]:
        """Return the pages that were found to contradict a page, dismissed or not."""
        query = select(contradictions).where(_of(ref))
        with reading(self._engine) as connection:
            found = [_stored(row).found for row in connection.execute(query)]
        return [side.ref for each in found for side in (each.one, each.other) if side.ref != ref]

    def addressed(self, urls: Collection[str], sources: Collection[str]) -> list[PageRef]:
        """Return the served pages of these sources at these addresses."""
        query = select(*REF_COLUMNS).where(
            pages.c.url.in_(list(urls)), pages.c.source.in_(list(sources)), SERVED
        )
        return [ref_of(row) for row in self._rows(query)]

    def count(self, sources: Collection[str] | None = None) -> int:
        """Return the number of contradictions not dismissed. ``sources``: see :meth:`entries`."""
        query = (
            select(func.count()).select_from(contradictions).where(contradictions.c.dismissed_by.is_(None))
        )
        if sources is not None:
            query = query.where(_within(sources))
        with reading(self._engine) as connection:
            return connection.execute(query).scalar_one()

    def forget_removed(self) -> None:
        """Delete the contradictions of pages that are no longer served."""
        with writing(self._engine) as connection:
            for side in _SIDES:
                same = (one == other for one, other in zip(REF_COLUMNS, side, strict=True))
                connection.execute(delete(contradictions).where(~exists().where(*same, SERVED)))

    def entries(
        self,
        *,
        dismissed: bool = False,
        below: int | None = None,
        limit: int = LISTED,
        sources: Collection[str] | None = None,
    ) -> list[StoredContradiction]:
        """Return at most ``limit`` contradictions, newest first: the ``dismissed`` ones or the others.

        ``below``: the number of the last one on the previous page of the list. ``sources``: an editor's,
        which must include those of both pages; ``None`` for all.
        """
        is_dismissed = contradictions.c.dismissed_by.is_not(None)
        query = select(contradictions).where(is_dismissed if dismissed else ~is_dismissed)
        if sources is not None:
            query = query.where(_within(sources))
        if below is not None:
            query = query.where(contradictions.c.number < below)
        query = query.order_by(contradictions.c.number.desc()).limit(limit)
        return [_stored(row) for row in self._rows(query)]

    def dismiss(
        self, number: int, actor: str, *, dismissed: bool = True, sources: Collection[str] | None = None
    ) -> StoredContradiction:
        """Dismiss a contradiction until one of the texts changes, or restore it if not ``dismissed``.

        Raises ``NotFoundError``.
        """
        who = actor[: audit.ACTOR_CHARACTERS] if dismissed else None
        values = {"dismissed_by": who, "dismissed_at": self._clock() if dismissed else None}
        same = [contradictions.c.number == number, *([_within(sources)] if sources is not None else [])]
        with writing(self._engine) as connection:
            changed = update(contradictions).where(*same).values(values).returning(contradictions)
            row = connection.execute(changed).first()
            if row is None:
                raise NotFoundError(
                    "there is no contradiction {number}: one of the pages may have changed", number=number
                )
            found = _stored(row)
            self._record(connection, "dismiss" if dismissed else "restore", actor, found)
        return found

    def _record(self, connection: Connection, action: str, actor: str, found: StoredContradiction) -> None:
        audit.record(
            connection,
            at=self._clock(),
            actor=actor,
            action=f"contradiction.{action}",
            target=f"contradiction/{found.number}",
            after={"text": found.found.one.text, "other_text": found.found.other.text},
        )

    def _columns(self, found: FoundContradiction) -> dict[str, Any]:
        one, other = found.one, found.other
        return {
            "pair": found.pair,
            "kind": found.kind,
            "source": one.ref.source,
            "id": one.ref.id,
            "language": one.ref.language,
            "text": one.text,
            "other_source": other.ref.source,
            "other_id": other.ref.id,
            "other_language": other.ref.language,
            "other_text": other.text,
            "found_at": self._clock(),
        }


_SIDES: Final = (
    (contradictions.c.source, contradictions.c.id, contradictions.c.language),
    (contradictions.c.other_source, contradictions.c.other_id, contradictions.c.other_language),
)
"""The columns of both statements' pages, in the order of ``REF_COLUMNS``."""


def _of(ref: PageRef) -> ColumnElement[bool]:
    names = ref.source, ref.id, ref.language
    return or_(*(and_(*(c == name for c, name in zip(side, names, strict=True))) for side in _SIDES))


def _within(sources: Collection[str]) -> ColumnElement[bool]:
    own = list(sources)
    return and_(contradictions.c.source.in_(own), contradictions.c.other_source.in_(own))


def _stored(row: AnyRow) -> StoredContradiction:
    other = PageRef(source=row.other_source, id=row.other_id, language=row.other_language)
    return StoredContradiction(
        number=row.number,
        found=FoundContradiction(
            one=Passage(ref=ref_of(row), text=row.text),
            other=Passage(ref=other, text=row.other_text),
            kind=row.kind,
        ),
        found_at=row.found_at,
        dismissed_by=row.dismissed_by or "",
    )
