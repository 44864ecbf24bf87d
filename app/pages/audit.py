"""The log of changes that people make: who changed what, when, and what it was before.

Entries are only added. They contain no visitors' texts and no secrets; callers must leave these out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from app.pages.audit_tables import audit_log
from app.pages.column_types import storable
from app.pages.database import Store, writing
from app.pages.refs import AnyRow, from_row

LISTED: Final = 50
"""Default number of entries in one part of the list."""

ACTOR_CHARACTERS: Final = 64
ACTION_CHARACTERS: Final = 64

ChangedObject = Mapping[str, Any]
"""The changed object, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change. ``action``: such as ``curation.update``; ``target``: the changed object, such as
    ``curation/7``. ``before`` and ``after``: ``None`` if it did not exist."""

    number: int
    at: datetime
    actor: str
    action: str
    target: str
    before: ChangedObject | None
    after: ChangedObject | None


class AuditLog(Store):
    """The changes in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def record(
        self,
        actor: str,
        action: str,
        target: str,
        before: ChangedObject | None = None,
        after: ChangedObject | None = None,
    ) -> None:
        """Add a change in a separate transaction. Raises ``UnwritableError``."""
        with writing(self._engine) as connection:
            record(
                connection,
                at=self._clock(),
                actor=actor,
                action=action,
                target=target,
                before=before,
                after=after,
            )

    def entries(
        self,
        *,
        below: int | None = None,
        limit: int = LISTED,
        actor: str | None = None,
        target: str | None = None,
    ) -> list[AuditEntry]:
        """Return at most ``limit`` entries, newest first, only those of ``actor`` and ``target`` if given.
        ``below``: the number of the last entry of the previous part."""
        query = select(audit_log).order_by(audit_log.c.number.desc()).limit(limit)
        if below is not None:
            query = query.where(audit_log.c.number < below)
        if actor is not None:
            query = query.where(audit_log.c.actor == actor)
        if target is not None:
            query = query.where(audit_log.c.target == target)
        return [_entry(row) for row in self._rows(query)]


def record(
    connection: Connection,
    *,
    at: datetime,
    actor: str,
    action: str,
    target: str,
    before: ChangedObject | None = None,
    after: ChangedObject | None = None,
) -> None:
    """Add a change within the transaction that makes it, so that neither is stored without the other."""
    row = {
        "at": at,
        "actor": storable(actor)[:ACTOR_CHARACTERS],
        "action": action[:ACTION_CHARACTERS],
        "target": target,
        "before": _written(before),
        "after": _written(after),
    }
    connection.execute(insert(audit_log).values(row))


def _written(document: ChangedObject | None) -> str | None:
    return None if document is None else json.dumps(document, ensure_ascii=False, default=str)


def _entry(row: AnyRow) -> AuditEntry:
    return from_row(AuditEntry, row, before=_read(row.before), after=_read(row.after))


def _read(written: str | None) -> ChangedObject | None:
    return None if written is None else json.loads(written)
