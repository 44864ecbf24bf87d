"""Pages as people list them: on the command line, in the status of a site, for the CMS that sent them."""

from collections.abc import Iterator
from functools import partial

from sqlalchemy import Engine

from app.pages import announcements, queries
from app.pages.database import reading
from app.pages.types import PageRecord, PageState, RejectedDocument


class PageList:
    """The pages in ``engine``'s database.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def records(self, source: str | None = None, state: PageState | None = None) -> Iterator[PageRecord]:
        """Every page by source, id and language, read in batches so that no read lasts long."""
        return queries.in_batches(self._engine, partial(queries.records, source=source, state=state))

    def languages_of(self, source: str, page_id: str) -> list[PageRecord]:
        """One page in each of its languages; none if it is unknown. What has to be fetched is pending."""
        with reading(self._engine) as connection:
            known = queries.languages_of(connection, source, page_id)
            return announcements.with_announced(connection, source, page_id, known)

    def damaged(self) -> int:
        """How many pages fail because what is kept of them cannot be read."""
        with reading(self._engine) as connection:
            return queries.count_damaged(connection)

    def rejected(self, source: str | None = None) -> list[RejectedDocument]:
        """The documents that could not be read, by source and name."""
        with reading(self._engine) as connection:
            return queries.list_rejected(connection, source)
