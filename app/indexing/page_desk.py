"""Finds, shows, reindexes, takes out and brings back single pages for editors."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from app.errors import NotFoundError
from app.pages.audit import AuditEntry, AuditLog
from app.pages.deliveries import Deliveries
from app.pages.page_list import LISTED, PageList
from app.pages.page_versions import VersionDocument
from app.pages.store import PageStore
from app.pages.types import JobDocument, PageDetails, PageRecord, PageState
from app.search.index import SearchIndex
from app.search.types import IndexedPage
from ingest.types import PageRef

JOBS: Final = 20
VERSIONS: Final = 20
CHANGES: Final = 20
"""Number of a page's newest jobs, versions or changes that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """Everything known about a page. ``served``: the Markdown and the byte offsets of chunks that the index
    serves, ``None`` if none. ``versions``: its known versions; ``jobs``: those of the CMS's messages about
    it; ``changes``: people's changes to it; all newest first."""

    details: PageDetails
    served: IndexedPage | None
    versions: tuple[VersionDocument, ...]
    jobs: tuple[JobDocument, ...]
    changes: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPages:
    """A part of a list. ``after``: its last page, if others follow."""

    pages: tuple[PageRecord, ...]
    after: PageRef | None


@dataclass(kw_only=True, eq=False)
class PageDesk:
    """Reads and changes pages within an editor's rights: the ``sources`` of every method are the editor's
    (``None``: all), and pages of other sources count as unknown. ``wake``: wakes the indexing workers. Every
    method raises ``PageStoreUnavailableError``."""

    store: PageStore
    pages: PageList
    deliveries: Deliveries
    audit: AuditLog
    index: Callable[[], SearchIndex]
    wake: Callable[[], None]

    def search(
        self,
        text: str = "",
        *,
        state: PageState | None = None,
        source: str | None = None,
        after: PageRef | None = None,
        limit: int = LISTED,
        sources: Collection[str] | None = None,
    ) -> ListedPages:
        """Return the pages after ``after`` that have each word of ``text`` in title, address or id."""
        within = sources if source is None else [source] if sources is None or source in sources else []
        found = self.pages.search(text, state=state, sources=within, after=after, limit=limit + 1)
        shown = tuple(found[:limit])
        return ListedPages(pages=shown, after=shown[-1].ref if len(found) > limit else None)

    def report(self, ref: PageRef, sources: Collection[str] | None = None) -> PageReport:
        """Return everything known about a page. Raises ``NotFoundError`` and ``IndexUnavailableError``."""
        details = self.pages.details(ref, sources)
        return PageReport(
            details=details,
            served=next(iter(self.index().pages([ref])), None),
            versions=tuple(self.pages.versions(ref, VERSIONS)),
            jobs=tuple(self.deliveries.jobs_of_page(ref, JOBS)),
            changes=tuple(self.audit.entries(target=target_of(ref), limit=CHANGES)),
        )

    def reindex(self, ref: PageRef, actor: str, sources: Collection[str] | None = None) -> PageDetails:
        """Index the page again; it is served unchanged meanwhile. Raises ``NotFoundError``."""
        self._known(ref, sources)
        self.store.requeue_page(ref)
        return self._changed(ref, actor, "page.reindex")

    def take_out(self, ref: PageRef, actor: str, sources: Collection[str] | None = None) -> PageDetails:
        """Hide the page from every search at once, and keep it out until it is brought back, even if the CMS
        saves it again or the index is rebuilt. Raises ``NotFoundError``."""
        self._known(ref, sources)
        self.store.exclude(ref.source, ref.id, ref.language)
        return self._changed(ref, actor, "page.take_out")

    def bring_back(self, ref: PageRef, actor: str, sources: Collection[str] | None = None) -> PageDetails:
        """Bring back a page that was taken out; it shows once it is indexed. Raises ``NotFoundError``."""
        self._known(ref, sources)
        self.store.include(ref.source, ref.id, ref.language)
        return self._changed(ref, actor, "page.bring_back")

    def _known(self, ref: PageRef, sources: Collection[str] | None) -> None:
        if self.pages.details(ref, sources).deleted:
            raise NotFoundError(f"page {ref.id!r} ({ref.language}) of source {ref.source!r} was deleted")

    def _changed(self, ref: PageRef, actor: str, action: str) -> PageDetails:
        self.audit.record(actor, action, target_of(ref))
        self.wake()
        return self.pages.details(ref)


def target_of(ref: PageRef) -> str:
    """Return a page's name in the log of changes."""
    return f"page/{ref.source}/{ref.id}/{ref.language}"


def page_at(source: str, page_id: str, language: str) -> PageRef:
    """Return the page reference in an address. Raises ``NotFoundError`` if it is not a valid one."""
    try:
        return PageRef(source=source, id=page_id, language=language)
    except ValueError as error:
        raise NotFoundError("no page has that address: {error}", error=str(error)) from error
