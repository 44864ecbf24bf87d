"""Stores the entries of the curation in the page store's database.

Each change is one transaction with its line in the log of changes, and raises the count by which all
processes notice it (:meth:`CurationStore.changes`).
"""

import json
from collections.abc import Collection
from typing import Any, Final

import structlog
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from app.errors import ConflictError, InputError, NotFoundError
from app.features.curation.content import Content, Entry, Kind
from app.features.curation.tables import curation
from app.pages import audit
from app.pages.counters import ChangeCount
from app.pages.database import Store, reading, writing
from app.pages.refs import AnyRow, filled

MOST_ENTRIES: Final = 2_000
"""Of one site."""

LISTED: Final = 100
"""Entries in a part of the list, where the caller does not say how many."""

log = structlog.get_logger(__name__)

_CHANGES: Final = ChangeCount("curation")


class CurationStore(Store):
    """The entries in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def changes(self) -> int:
        """Return how often anything was changed so far."""
        with reading(self._engine) as connection:
            return _CHANGES.read(connection)

    def all(self) -> tuple[int, list[Entry]]:
        """Return the count of changes, and every readable entry as of then."""
        with reading(self._engine) as connection:
            changes = _CHANGES.read(connection)
            rows = connection.execute(select(curation).order_by(curation.c.number))
            return changes, [entry for row in rows if (entry := _readable(row))]

    def entries(
        self,
        *,
        sites: Collection[str] | None = None,
        kind: Kind | None = None,
        below: int | None = None,
        limit: int = LISTED,
    ) -> list[Entry]:
        """Return the newest entries first, at most ``limit``, only of ``sites`` and ``kind`` if they are
        given. ``below``: the number of the last entry of the part before."""
        query = select(curation).order_by(curation.c.number.desc()).limit(limit)
        if sites is not None:
            query = query.where(curation.c.site.in_(list(sites)))
        if kind is not None:
            query = query.where(curation.c.kind == kind)
        if below is not None:
            query = query.where(curation.c.number < below)
        return [_entry(row) for row in self._rows(query)]

    def get(self, number: int) -> Entry:
        """The entry with this number. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _existing(connection, _numbered(number), number)

    def add(self, site: str, kind: Kind, content: Content, actor: str) -> Entry:
        """Store a new entry. Raises ``InputError`` where the site has ``MOST_ENTRIES``."""
        with writing(self._engine) as connection:
            _CHANGES.add(connection)
            own = select(func.count()).select_from(curation).where(curation.c.site == site)
            if connection.execute(own).scalar_one() >= MOST_ENTRIES:
                raise InputError(
                    "site {name!r} has {count:,} entries: remove some first", name=site, count=MOST_ENTRIES
                )
            values = self._values(content, actor) | {"site": site, "kind": kind, "version": 1}
            added = connection.execute(insert(curation).values(values).returning(curation)).one()
            entry = _entry(added)
            self._record(connection, "add", actor, None, entry)
        return entry

    def update(self, number: int, version: int, content: Content, actor: str) -> Entry:
        """Change an entry that its editor read in this version.

        Raises ``NotFoundError``, and ``ConflictError`` that says who changed it meanwhile.
        """
        with writing(self._engine) as connection:
            _CHANGES.add(connection)
            before = _checked(connection, number, version)
            values = self._values(content, actor) | {"version": version + 1}
            changed = update(curation).where(curation.c.number == number).values(values)
            after = _entry(connection.execute(changed.returning(curation)).one())
            self._record(connection, "update", actor, before, after)
        return after

    def remove(self, number: int, version: int, actor: str) -> None:
        """Delete an entry. Raises as :meth:`update` does."""
        with writing(self._engine) as connection:
            _CHANGES.add(connection)
            before = _checked(connection, number, version)
            connection.execute(delete(curation).where(curation.c.number == number))
            self._record(connection, "remove", actor, before, None)

    def _values(self, content: Content, actor: str) -> dict[str, Any]:
        return {
            "content": json.dumps(content.document(), ensure_ascii=False),
            "changed_by": actor[: audit.ACTOR_CHARACTERS],
            "changed_at": self._clock(),
        }

    def _record(
        self, connection: Connection, action: str, actor: str, before: Entry | None, after: Entry | None
    ) -> None:
        entry = after or before
        audit.record(
            connection,
            at=self._clock(),
            actor=actor,
            action=f"curation.{action}",
            target=f"curation/{entry.number}" if entry else "curation",
            before=_document(before),
            after=_document(after),
        )


def _checked(connection: Connection, number: int, version: int) -> Entry:
    entry = _existing(connection, _numbered(number).with_for_update(), number)
    if entry.version != version:
        when = entry.changed_at.isoformat(" ", "minutes")
        raise ConflictError(
            "{name} changed this entry at {when} (version {version}, yours is {own}): read it again, "
            "then repeat your change",
            name=entry.changed_by,
            when=when,
            version=entry.version,
            own=version,
        )
    return entry


def _numbered(number: int) -> Select[Any]:
    return select(curation).where(curation.c.number == number)


def _existing(connection: Connection, query: Select[Any], number: int) -> Entry:
    row = connection.execute(query).first()
    if row is None:
        raise unknown(number)
    return _entry(row)


def unknown(number: int) -> NotFoundError:
    """The error that there is no such entry."""
    return NotFoundError("there is no entry {number}: it may have been removed", number=number)


def _document(entry: Entry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {"site": entry.site, "kind": entry.kind, "version": entry.version} | entry.content.document()


def _readable(row: AnyRow) -> Entry | None:
    """The entry, unless another version wrote what this one cannot read: the others count all the same."""
    try:
        return _entry(row)
    except ValueError as error:
        log.warning("curation_unreadable", number=row.number, message=str(error))
        return None


def _entry(row: AnyRow) -> Entry:
    return filled(Entry, row, content=Content.model_validate(json.loads(row.content)))
