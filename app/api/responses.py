"""JSON Schemas of the API's responses, for OpenAPI. :mod:`app.chat.documents` and :mod:`app.api.documents`
build them."""

from typing import Any, Final, get_args

from app.api.openapi import DAY as _DAY
from app.api.openapi import DEGRADED as _DEGRADED
from app.api.openapi import FLAG as _FLAG
from app.api.openapi import MODE as _MODE
from app.api.openapi import MOMENT as _MOMENT
from app.api.openapi import NUMBER as _NUMBER
from app.api.openapi import SHARE as _SHARE
from app.api.openapi import TEXT as _TEXT
from app.api.openapi import TIME as _TIME
from app.api.openapi import Schema
from app.api.openapi import list_of as _list
from app.api.openapi import object_of as _object
from app.api.openapi import or_none as _or_none
from app.chat.decisions import CuratedKind
from app.chat.energy import Basis, Part
from app.chat.events import AnswerCertainty, Status
from app.presets import ListedSources
from app.search.types import LinkKind

_ENERGY: Final = _object(
    {
        "wh": _SHARE,
        "basis": {"enum": list(get_args(Basis))},
        "pue": _SHARE,
        "parts": _object({}, dict.fromkeys(get_args(Part), _SHARE)),
        "hair_dryer_seconds": _SHARE,
        "phone_percent": _SHARE,
    }
)
_CURATED: Final = _object({"kind": {"enum": list(get_args(CuratedKind))}, "entries": _list(_NUMBER)})

SOURCE: Final = _object(
    {
        "number": _or_none(_NUMBER),
        "id": _TEXT,
        "url": _TEXT,
        "href": _TEXT,
        "title": _TEXT,
        "path": _TEXT,
        "field": _or_none(_TEXT),
        "snippet": _TEXT,
        "similarity": _or_none(_SHARE),
        "used": _FLAG,
    },
    {
        "published": _DAY,
        "updated": _DAY,
        "ended": _DAY,
        "celex": _TEXT,
        "version": _DAY,
        "linked_from": _object({}, {kind: _list(_NUMBER) for kind in get_args(LinkKind)}),
    },
)
ANSWER: Final = _object(
    {
        "id": _TEXT,
        "conversation": _TEXT,
        "question": _TEXT,
        "started_at": _MOMENT,
        "status": {"enum": [*get_args(Status), "running"]},
        "html": _TEXT,
        "answer": _TEXT,
        "sources": _list(SOURCE),
        "citations": _list(_NUMBER),
        "probable": _list(_NUMBER),
        "unsupported": _list(_TEXT),
    },
    {
        "certainty": {"enum": list(get_args(AnswerCertainty))},
        "suggestions": _list(_TEXT),
        "other_readings": _list(_TEXT),
        "more": _list(_TEXT),
        "more_html": _TEXT,
        "degraded": _DEGRADED,
        "mode": _MODE,
        "model": _or_none(_TEXT),
        "code": _TEXT,
        "time": _TIME,
        "as_of": _DAY,
        "energy": _ENERGY,
        "curated": _CURATED,
    },
)
_LISTED: Final[Schema] = {"enum": list(get_args(ListedSources))}
CONVERSATION: Final = _object({"id": _TEXT, "answers": _list(ANSWER)})
SITE: Final = _object(
    {
        "key": _TEXT,
        "name": _TEXT,
        "language": _TEXT,
        "contact": _TEXT,
        "privacy_url": _TEXT,
        "examples": _list(_TEXT),
        "question_characters": _NUMBER,
        "indexes": _list(_object({"name": _TEXT, "label": _TEXT, "listed_sources": _LISTED})),
        "listed_sources": _LISTED,
        "ai": _FLAG,
        "law": _FLAG,
    }
)
MODELS: Final = _object(
    {
        "object": _TEXT,
        "data": _list(_object({"id": _TEXT, "object": _TEXT, "created": _NUMBER, "owned_by": _TEXT})),
    }
)
_URL_CITATION: Final = _object({"url": _TEXT, "title": _TEXT, "start_index": _NUMBER, "end_index": _NUMBER})
_ANNOTATION: Final = _object({"type": _TEXT, "url_citation": _URL_CITATION})
_MESSAGE: Final = _object({"role": _TEXT, "content": _TEXT, "annotations": _list(_ANNOTATION)})
COMPLETION_ERROR: Final = _object(
    {"error": _object({"message": _TEXT, "type": _TEXT, "param": _or_none(_TEXT), "code": _TEXT})}
)
_CHOICE: Final = _object(
    {"index": _NUMBER, "message": _MESSAGE, "finish_reason": _TEXT, "logprobs": {"type": "null"}}
)
COMPLETION: Final = _object(
    {
        "id": _TEXT,
        "object": _TEXT,
        "created": _NUMBER,
        "model": _TEXT,
        "choices": _list(_CHOICE),
    }
)


def json_response(description: str, schema: Schema) -> dict[str, Any]:
    """The OpenAPI description of a response with a JSON body."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}
