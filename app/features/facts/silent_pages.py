"""Pages whose facts an editor has switched off."""

from collections.abc import Callable

from sqlalchemy import ColumnElement, and_, delete, exists, select

from app.features.facts.tables import silent_pages
from app.indexing.page_desk import target_of
from app.pages import audit
from app.pages.bulk import insert_new
from app.pages.database import Store, reading, writing
from ingest.types import PageRef

IsSilent = Callable[[PageRef], bool]
"""Returns True for a page whose facts are switched off."""


def never_silent(_ref: PageRef) -> bool:
    """Return False: no page's facts are switched off."""
    return False


class SilentPages(Store):
    """The silent pages in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def has(self, ref: PageRef) -> bool:
        """Return True if the facts of the page are switched off."""
        with reading(self._engine) as connection:
            return bool(connection.scalar(select(exists().where(_is(ref)))))

    def change(self, ref: PageRef, actor: str, *, silent: bool) -> None:
        """Switch the facts of a page off (``silent``) or on again, and record it in the audit log."""
        row = {"source": ref.source, "id": ref.id, "language": ref.language}
        who = {"silenced_by": actor[: audit.ACTOR_CHARACTERS], "silenced_at": self._clock()}
        with writing(self._engine) as connection:
            if silent:
                insert_new(connection, silent_pages, [row | who], {})
            else:
                connection.execute(delete(silent_pages).where(_is(ref)))
            action = "facts.silence" if silent else "facts.tell"
            audit.record(connection, at=self._clock(), actor=actor, action=action, target=target_of(ref))


def _is(ref: PageRef) -> ColumnElement[bool]:
    columns = silent_pages.c
    return and_(columns.source == ref.source, columns.id == ref.id, columns.language == ref.language)
