"""Stores the entries of the curation in the page store's database.

Each change is one transaction with its line in the log of changes. It raises the count by which other
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
from app.pages.refs import AnyRow, from_row

MOST_ENTRIES: Final = 2_000
"""Per site."""

LISTED: Final = 100
"""Entries in one page of the list, unless the caller gives a limit."""

log = structlog.get_logger(__name__)

_CHANGES: Final = ChangeCount("curation")


class CurationStore(Store):
    """The entries in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def changes(self) -> int:
        """Return the number of changes made so far."""
        with reading(self._engine) as connection:
            return _CHANGES.read(connection)

    def all(self) -> tuple[int, list[Entry]]:
        """Return the count of changes, and every readable entry at that point."""
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
        """Return at most ``limit`` entries, newest first, limited to ``sites`` and ``kind`` if given.

        ``below``: the number of the last entry on the previous page of the list.
        """
        query = select(curation).order_by(curation.c.number.desc()).limit(limit)
        if sites is not None:
            query = query.where(curation.c.site.in_(list(sites)))
        if kind is not None:
            query = query.where(curation.c.kind == kind)
        if below is not None:
            query = query.where(curation.c.number < below)
        return [_entry(row) for row in self._rows(query)]

    def get(self, number: int) -> Entry:
        """Return the entry with this number. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _existing(connection, _numbered(number), number)

    def add(self, site: str, kind: Kind, content: Content, actor: str) -> Entry:
        """Store a new entry. Raises ``InputError`` if the site has ``MOST_ENTRIES``."""
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

        Raises ``NotFoundError``, and ``ConflictError`` that names whoever changed it in the meantime.
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
        """Delete an entry. Raises the errors of :meth:`update`."""
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
    """Return the error that there is no such entry."""
    return NotFoundError("there is no entry {number}: it may have been removed", number=number)


def _document(entry: Entry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {"site": entry.site, "kind": entry.kind, "version": entry.version} | entry.content.document()


def _readable(row: AnyRow) -> Entry | None:
    """The entry, or ``None`` if another version of the program wrote something unreadable: the others still
    count."""
    try:
        return _entry(row)
    except ValueError as error:
        log.warning("curation_unreadable", number=row.number, message=str(error))
        return None


def _entry(row: AnyRow) -> Entry:
    return from_row(Entry, row, content=Content.model_validate(json.loads(row.content)))
