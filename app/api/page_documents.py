"""The JSON documents of pages for editors. Pure functions."""

from dataclasses import asdict
from typing import Any

from app.api.documents import job_json
from app.chat.documents import timestamp
from app.chat.trace_document import details_document, ref_document
from app.indexing.page_desk import ListedPages, PageReport
from app.pages.audit import AuditEntry
from app.pages.page_versions import AcceptedVersion
from app.pages.types import PageRecord
from app.search.types import IndexedPage


def page_list_document(found: ListedPages, following: str | None) -> dict[str, Any]:
    """A part of a list. ``following``: the cursor of the next one."""
    return {"pages": [_listed(page) for page in found.pages], "next": following}


def page_report_document(report: PageReport) -> dict[str, Any]:
    """All that is known of a page."""
    return details_document(report.details) | {
        "read": None if report.read is None else _read(report.read),
        "versions": list(map(_version, report.versions)),
        "jobs": list(map(job_json, report.jobs)),
        "last_event": timestamp(report.jobs[0].accepted_at) if report.jobs else None,
        "changes": list(map(_change, report.changes)),
    }


def _listed(page: PageRecord) -> dict[str, Any]:
    return ref_document(page.ref) | {
        "url": page.url,
        "title": page.title,
        "state": page.state,
        "reason": page.reason,
        "indexed_at": timestamp(page.indexed_at),
    }


def _read(page: IndexedPage) -> dict[str, Any]:
    """What the index serves. ``chunks``: byte offsets in the UTF-8 of ``content``, in its order."""
    return {
        "version": page.sequence,
        "title": page.title,
        "url": page.url,
        "fields": dict(page.fields),
        "chunks": [{"start": start, "end": end} for start, end in page.content_spans],
        "metadata": dict(page.metadata),
    }


def _version(version: AcceptedVersion) -> dict[str, Any]:
    return asdict(version) | {"accepted_at": timestamp(version.accepted_at)}


def _change(entry: AuditEntry) -> dict[str, Any]:
    return {"at": timestamp(entry.at), "actor": entry.actor, "action": entry.action}
