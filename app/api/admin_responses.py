"""JSON Schemas of overview, sources, users and the installation, for OpenAPI."""

from typing import Final, get_args

from app.accounts.types import Role
from app.api.documents import JobDocument
from app.api.openapi import FLAG, MOMENT, NUMBER, SHARE, TEXT, list_of, object_of, or_none
from app.pages.types import PageState
from app.search.types import GenerationState

_JOB: Final = JobDocument.model_json_schema()
_SOURCE: Final = object_of(
    {
        "name": TEXT,
        "kind": TEXT,
        "pages": object_of({}, dict.fromkeys(get_args(PageState), NUMBER)),
        "last_event": or_none(MOMENT),
        "last_pull": or_none(MOMENT),
        "next_pull": or_none(MOMENT),
        "problem": TEXT,
    }
)
SOURCES: Final = object_of({"sources": list_of(_SOURCE)})
_REJECTED: Final = object_of(
    {"source": TEXT, "document": TEXT, "reason": TEXT, "message": TEXT, "at": MOMENT}
)
SOURCE_REPORT: Final = object_of(
    {
        **_SOURCE["properties"],
        "secrets": NUMBER,
        "jobs": list_of(_JOB),
        "rejected": list_of(_REJECTED),
    }
)
REHEARSALS: Final = object_of(
    {"endpoint": TEXT, "secrets": list_of(object_of({"secret": NUMBER, "problem": TEXT}))}
)
OVERVIEW: Final = object_of(
    {
        "checks": list_of(object_of({"name": TEXT, "ok": FLAG, "detail": TEXT, "required": FLAG})),
        "backlog": NUMBER,
        "failed": NUMBER,
        "seconds_left": or_none(NUMBER),
        "questions": object_of({"asked": NUMBER, "unanswered": NUMBER, "share_unanswered": SHARE}),
        "sources": list_of(_SOURCE),
        "first_steps": object_of({"indexed": FLAG, "asked": FLAG, "embedded": FLAG}),
        "disk_free_bytes": or_none(NUMBER),
    }
)
USER: Final = object_of(
    {
        "name": TEXT,
        "role": {"enum": list(get_args(Role))},
        "sources": or_none(list_of(TEXT)),
        "has_password": FLAG,
        "added_at": MOMENT,
    }
)
SITES: Final = object_of(
    {
        "sites": list_of(
            object_of({"key": TEXT, "name": TEXT, "sources": list_of(TEXT), "origins": list_of(TEXT)})
        )
    }
)
_GENERATION: Final = object_of(
    {
        "number": NUMBER,
        "state": {"enum": list(get_args(GenerationState))},
        "embedder": TEXT,
        "dims": NUMBER,
        "created": MOMENT,
    }
)
GENERATIONS: Final = object_of({"generations": list_of(_GENERATION)})
SETTINGS: Final = object_of({"settings": list_of(object_of({"name": TEXT, "value": {}, "origin": TEXT}))})
_CHANGED: Final = or_none({"type": "object"})
CHANGES: Final = object_of(
    {
        "changes": list_of(
            object_of(
                {
                    "number": NUMBER,
                    "at": MOMENT,
                    "actor": TEXT,
                    "action": TEXT,
                    "target": TEXT,
                    "before": _CHANGED,
                    "after": _CHANGED,
                }
            )
        )
    }
)
USERS: Final = object_of({"users": list_of(USER)})
USER_LINK: Final = object_of({"user": USER, "link": TEXT, "until": MOMENT})
