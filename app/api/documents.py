"""The JSON documents of jobs, the states of pages, and rebuilds."""

from typing import Literal, Self

from app.document import Document, Moment, Sometimes
from app.pages.rebuilds import Rebuild, RebuildState
from app.pages.types import JobDocument, JobStatus, PageRecord, PageState


class AcceptedJobDocument(Document):
    """A job that was accepted just now."""

    id: str
    page: str
    language: str | None
    status: JobStatus
    reason: Sometimes[str] = None

    @classmethod
    def of(cls, job: JobDocument) -> Self:
        """Describe a job, with its reason if there is one."""
        return cls.from_objects(job, reason=job.reason or None)


class AcceptedJobsDocument(Document):
    """The jobs of a message."""

    jobs: list[AcceptedJobDocument]


class PageStateDocument(Document):
    """The state of a page in one language."""

    language: str
    url: str
    title: str
    state: PageState
    reason: str
    indexed_at: Moment | None

    @classmethod
    def of(cls, row: PageRecord) -> Self:
        """Describe a page of the page store."""
        return cls.from_objects(row.ref, row)


class PageStatesDocument(Document):
    """The states of a page."""

    source: str
    id: str
    pages: list[PageStateDocument]


class RebuildDocument(Document):
    """A rebuild of the index. ``state``: ``cancelling`` until the step in hand ends."""

    id: str
    source: str | None
    state: Literal[RebuildState, "cancelling"]
    reason: str
    generation: int | None
    pages: int
    written: int
    failed: int
    requested_at: Moment
    started_at: Moment | None
    finished_at: Moment | None

    @classmethod
    def of(cls, rebuild: Rebuild) -> Self:
        """Describe a rebuild."""
        document = cls.model_validate(rebuild)
        is_ending = rebuild.cancelled and rebuild.is_active
        return document.model_copy(update={"state": "cancelling"}) if is_ending else document


class RebuildsDocument(Document):
    """The last rebuilds."""

    rebuilds: list[RebuildDocument]
