"""The JSON documents of jobs, pages and rebuilds."""

from typing import Any

from app.chat.documents import timestamp
from app.document import Document, Moment
from app.pages.rebuilds import Rebuild
from app.pages.types import Job, JobStatus, PageRecord


class JobDocument(Document):
    """A job."""

    id: str
    source: str
    page: str
    language: str | None
    status: JobStatus
    reason: str
    accepted_at: Moment
    finished_at: Moment | None


def accepted_json(job: Job) -> dict[str, Any]:
    """An accepted job: ``{"id", "page", "language", "status"}``, and ``reason`` if there is one."""
    document = {"id": job.id, "page": job.page, "language": job.language, "status": job.status}
    return document | ({"reason": job.reason} if job.reason else {})


def state_json(row: PageRecord) -> dict[str, Any]:
    """The state of a page in one language."""
    return {
        "language": row.ref.language,
        "url": row.url,
        "title": row.title,
        "state": row.state,
        "reason": row.reason,
        "indexed_at": timestamp(row.indexed_at),
    }


def rebuild_document(rebuild: Rebuild) -> dict[str, Any]:
    """A rebuild with its times in ISO 8601."""
    return {
        "id": rebuild.id,
        "source": rebuild.source,
        "state": "cancelling" if rebuild.cancelled and rebuild.is_active else rebuild.state,
        "reason": rebuild.reason,
        "generation": rebuild.generation,
        "pages": rebuild.pages,
        "written": rebuild.written,
        "failed": rebuild.failed,
        "requested_at": timestamp(rebuild.requested_at),
        "started_at": timestamp(rebuild.started_at),
        "finished_at": timestamp(rebuild.finished_at),
    }
