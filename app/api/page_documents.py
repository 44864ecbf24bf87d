"""The JSON documents of pages for editors."""

from typing import Self

from app.document import Document, Moment
from app.indexing.page_desk import ListedPages, PageReport
from app.pages.page_versions import VersionDocument
from app.pages.types import JobDocument, PageDetails, PageRecord, PageState
from app.search.types import IndexedPage


class PageRefDocument(Document):
    """A page's reference."""

    source: str
    id: str
    language: str


class ListedPageDocument(PageRefDocument):
    """A page of a list."""

    url: str
    title: str
    state: PageState
    reason: str
    indexed_at: Moment | None

    @classmethod
    def of(cls, page: PageRecord) -> Self:
        """Describe a page of the page store."""
        return cls.from_objects(page.ref, page)


class PageListDocument(Document):
    """A part of a list. ``next``: the cursor of the next one."""

    pages: list[ListedPageDocument]
    next: str | None

    @classmethod
    def of(cls, found: ListedPages, following: str | None) -> Self:
        """Describe a part of the list. ``following``: the cursor of the next one."""
        return cls(pages=list(map(ListedPageDocument.of, found.pages)), next=following)


class _StoredPage(PageRefDocument):
    document: str
    kind: str
    url: str
    title: str
    state: PageState
    reason: str
    deleted: bool
    taken_out: bool
    publish_from: Moment | None
    publish_until: Moment | None
    updated: Moment | None
    revision: int | None
    version: int
    indexed_version: int
    accepted_at: Moment | None
    indexed_at: Moment | None
    failed_at: Moment | None
    attempts: int


class PageDetailsDocument(_StoredPage):
    """A page as the page store has it, without its text."""

    @classmethod
    def of(cls, details: PageDetails) -> Self:
        """Describe a page of the page store."""
        record = details.record
        return cls.from_objects(
            details.ref,
            record,
            details,
            taken_out=details.excluded,
            version=record.sequence,
            indexed_version=details.indexed_sequence,
        )


class ChunkDocument(Document):
    """Byte offsets of a chunk in the UTF-8 of its field."""

    start: int
    end: int


class IndexedPageDocument(Document):
    """A page as the index serves it. ``chunks``: the chunks of ``content``, in order."""

    version: int
    title: str
    url: str
    fields: dict[str, str]
    chunks: list[ChunkDocument]
    metadata: dict[str, str]

    @classmethod
    def of(cls, page: IndexedPage) -> Self:
        """Describe a page of the index."""
        chunks = [ChunkDocument(start=start, end=end) for start, end in page.content_spans]
        return cls.from_objects(page, version=page.sequence, chunks=chunks)


class PageChangeDocument(Document):
    """A change that somebody made to a page."""

    at: Moment
    actor: str
    action: str


class PageReportDocument(_StoredPage):
    """All that is known of a page."""

    read: IndexedPageDocument | None
    versions: list[VersionDocument]
    jobs: list[JobDocument]
    last_event: Moment | None
    changes: list[PageChangeDocument]

    @classmethod
    def of(cls, report: PageReport) -> Self:
        """Describe a page as editors see it."""
        return cls.from_objects(
            PageDetailsDocument.of(report.details),
            report,
            read=None if report.served is None else IndexedPageDocument.of(report.served),
            last_event=report.jobs[0].accepted_at if report.jobs else None,
        )
