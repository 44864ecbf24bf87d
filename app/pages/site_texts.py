"""Texts of sites that admins wrote in the console, each replacing the one in the settings.

Each change and its entry in the log of changes are one transaction.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import select, update

from app.errors import ConflictError
from app.pages import audit
from app.pages.bulk import INSERTS
from app.pages.database import Store, writing
from app.pages.refs import from_row
from app.pages.site_tables import site_texts

Texts = Mapping[str, Any]
"""A site's texts by the names of its settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTextRecord:
    """The texts of a site that replace those of the settings. ``version``: counts the changes, from 1."""

    version: int
    texts: Texts
    changed_by: str
    changed_at: datetime


UNCHANGED: Final = SiteTextRecord(
    version=0, texts={}, changed_by="", changed_at=datetime.min.replace(tzinfo=UTC)
)


class SiteTextStore(Store):
    """The texts in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def all(self) -> dict[str, SiteTextRecord]:
        """The texts of sites, by the site's key."""
        rows = self._rows(select(site_texts))
        return {row.site: from_row(SiteTextRecord, row, texts=json.loads(row.texts)) for row in rows}

    def save(self, site: str, texts: Texts, actor: str, *, version: int, before: Texts, after: Texts) -> None:
        """Replace the site's texts, which the caller loaded at this ``version``. ``before`` and ``after``:
        the texts shown before and after the change, for the log.

        Raises ``ConflictError`` if somebody else changed them first.
        """
        key, now = site_texts.c.site, self._clock()
        values = {
            "version": version + 1,
            "texts": json.dumps(dict(texts), ensure_ascii=False),
            "changed_by": actor[: audit.ACTOR_CHARACTERS],
            "changed_at": now,
        }
        with writing(self._engine) as connection:
            insert = INSERTS[connection.dialect.name](site_texts).values(site=site, **values)
            change = update(site_texts).where(key == site, site_texts.c.version == version).values(values)
            write = change if version else insert.on_conflict_do_nothing()
            if connection.scalar(write.returning(key)) is None:  # psycopg does not count inserted rows
                who = connection.scalar(select(site_texts.c.changed_by).where(key == site))
                raise _conflict(who)
            action = "site.texts" if texts else "site.texts_back"
            audit.record(
                connection, at=now, actor=actor, action=action, target=site, before=before, after=after
            )


def _conflict(who: str | None) -> ConflictError:
    if who is None:  # for example because a backup was restored
        return ConflictError(
            "the texts that you changed no longer exist: read them again, then repeat your change"
        )
    return ConflictError("{name} has changed these texts: read them again, then repeat your change", name=who)
