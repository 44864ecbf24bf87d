"""The JSON documents of pages for editors. Pure functions."""

from dataclasses import asdict
from typing import Any

from app.api.documents import job_json
from app.chat.documents import timestamp
from app.indexing.page_desk import ListedPages, PageReport
from app.pages.audit import AuditEntry
from app.pages.page_versions import AcceptedVersion
from app.pages.types import PageDetails, PageRecord
from app.search.types import IndexedPage
from ingest.types import PageRef


def ref_document(ref: PageRef) -> dict[str, Any]:
    """A page's reference."""
    return {"source": ref.source, "id": ref.id, "language": ref.language}


def details_document(details: PageDetails) -> dict[str, Any]:
    """What the page store knows of a page but its text."""
    record = details.record
    return ref_document(details.ref) | {
        "document": record.document,
        "kind": details.kind,
        "url": record.url,
        "title": record.title,
        "state": record.state,
        "reason": record.reason,
        "deleted": details.deleted,
        "taken_out": details.excluded,
        "publish_from": timestamp(details.publish_from),
        "publish_until": timestamp(details.publish_until),
        "updated": timestamp(details.updated),
        "revision": details.revision,
        "version": record.sequence,
        "indexed_version": details.indexed_sequence,
        "accepted_at": timestamp(details.accepted_at),
        "indexed_at": timestamp(record.indexed_at),
        "failed_at": timestamp(details.failed_at),
        "attempts": details.attempts,
    }


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
