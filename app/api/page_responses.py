"""JSON Schemas of pages for editors, for OpenAPI. :mod:`app.api.page_documents` builds the documents."""

from typing import Final, get_args

from app.api.openapi import FLAG, MOMENT, NUMBER, TEXT, list_of, object_of, or_none
from app.pages.types import JobStatus, PageState

_TEXTS: Final = {"type": "object", "additionalProperties": TEXT}
JOB: Final = object_of(
    {
        "id": TEXT,
        "source": TEXT,
        "page": TEXT,
        "language": or_none(TEXT),
        "status": {"enum": list(get_args(JobStatus))},
        "reason": TEXT,
        "accepted_at": MOMENT,
        "finished_at": or_none(MOMENT),
    }
)
PAGE_DETAILS: Final = object_of(
    {
        "source": TEXT,
        "id": TEXT,
        "language": TEXT,
        "document": TEXT,
        "kind": TEXT,
        "url": TEXT,
        "title": TEXT,
        "state": TEXT,
        "reason": TEXT,
        "deleted": FLAG,
        "taken_out": FLAG,
        "publish_from": or_none(MOMENT),
        "publish_until": or_none(MOMENT),
        "updated": or_none(MOMENT),
        "revision": or_none(NUMBER),
        "version": NUMBER,
        "indexed_version": NUMBER,
        "accepted_at": or_none(MOMENT),
        "indexed_at": or_none(MOMENT),
        "failed_at": or_none(MOMENT),
        "attempts": NUMBER,
    }
)
PAGE_LIST: Final = object_of(
    {
        "pages": list_of(
            object_of(
                {
                    "source": TEXT,
                    "id": TEXT,
                    "language": TEXT,
                    "url": TEXT,
                    "title": TEXT,
                    "state": {"enum": list(get_args(PageState))},
                    "reason": TEXT,
                    "indexed_at": or_none(MOMENT),
                }
            )
        ),
        "next": or_none(TEXT),
    }
)
PAGE_REPORT: Final = object_of(
    {
        **PAGE_DETAILS["properties"],
        "read": or_none(
            object_of(
                {
                    "version": NUMBER,
                    "title": TEXT,
                    "url": TEXT,
                    "fields": _TEXTS,
                    "chunks": list_of(object_of({"start": NUMBER, "end": NUMBER})),
                    "metadata": _TEXTS,
                }
            )
        ),
        "versions": list_of(
            object_of(
                {
                    "sequence": NUMBER,
                    "accepted_at": or_none(MOMENT),
                    "is_latest": FLAG,
                    "message": TEXT,
                    "job": TEXT,
                    "served": FLAG,
                    "characters": or_none(NUMBER),
                    "stored_bytes": or_none(NUMBER),
                }
            )
        ),
        "jobs": list_of(JOB),
        "last_event": or_none(MOMENT),
        "changes": list_of(object_of({"at": MOMENT, "actor": TEXT, "action": TEXT})),
    }
)
