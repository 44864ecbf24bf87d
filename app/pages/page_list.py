"""Pages as people list them: on the command line, in the status of a site, for the CMS that sent them."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from app.errors import NotFoundError
from app.pages import announcements, page_search, page_versions, queries
from app.pages.database import Store, reading
from app.pages.page_versions import VersionDocument
from app.pages.types import PageDetails, PageRecord, PageState, RejectionDocument
from ingest.types import PageRef

LISTED: Final = 50
"""Pages in a part of a list, where the caller does not say how many."""


class PageList(Store):
    """The pages in ``engine``'s database.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def records(self, source: str | None = None, state: PageState | None = None) -> Iterator[PageRecord]:
        """Every page by source, id and language, read in batches so that no read lasts long."""
        return queries.in_batches(self._engine, partial(queries.records, source=source, state=state))

    def search(
        self,
        text: str = "",
        *,
        state: PageState | None = None,
        sources: Collection[str] | None = None,
        after: PageRef | None = None,
        limit: int = LISTED,
    ) -> list[PageRecord]:
        """Up to ``limit`` pages by source, id and language, those behind ``after``, that have each word of
        ``text`` in title, address or id. ``sources``: those searched, all by default."""
        with reading(self._engine) as connection:
            return page_search.search(
                connection, text, state=state, sources=sources, after=after, limit=limit
            )

    def details(self, ref: PageRef, sources: Collection[str] | None = None) -> PageDetails:
        """What is known of a page but its text. Raises ``NotFoundError``, also for one of another source."""
        found = self.find_details(ref, sources)
        if found is None:
            raise NotFoundError(f"no page has the id {ref.id!r} ({ref.language}) in source {ref.source!r}")
        return found

    def find_details(self, ref: PageRef, sources: Collection[str] | None = None) -> PageDetails | None:
        """As :meth:`details`; ``None`` if nothing but an announcement is known."""
        with reading(self._engine) as connection:
            return page_search.details(connection, ref, sources)

    def known(self, refs: Collection[PageRef]) -> list[PageRecord]:
        """Those of ``refs`` that are known."""
        with reading(self._engine) as connection:
            return queries.known(connection, sorted(refs))

    def versions(self, ref: PageRef, limit: int) -> list[VersionDocument]:
        """The accepted versions of a page that are known, the newest first."""
        with reading(self._engine) as connection:
            return page_versions.accepted_versions(connection, ref, limit)

    def named(
        self, name: str, sources: Collection[str] | None = None, *, deleted: bool = True
    ) -> list[PageRef]:
        """The pages that have this id, this source and id, or this address, ``deleted`` ones too, sorted."""
        with reading(self._engine) as connection:
            return page_search.named(connection, name, sources, deleted=deleted)

    def has_address(self, source: str, start: str) -> bool:
        """True if a page of the source has an address that begins so."""
        with reading(self._engine) as connection:
            return page_search.has_address(connection, source, start)

    def languages_of(self, source: str, page_id: str) -> list[PageRecord]:
        """One page in each of its languages; none if it is unknown. What has to be fetched is pending."""
        with reading(self._engine) as connection:
            known = queries.languages_of(connection, source, page_id)
            return announcements.with_announced(connection, source, page_id, known)

    def damaged(self) -> int:
        """How many pages fail because what is kept of them cannot be read."""
        with reading(self._engine) as connection:
            return queries.count_damaged(connection)

    def rejected(self, source: str | None = None) -> list[RejectionDocument]:
        """The documents that could not be read, by source and name."""
        with reading(self._engine) as connection:
            return queries.list_rejected(connection, source)
