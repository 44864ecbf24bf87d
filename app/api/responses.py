"""JSON Schemas of the API's responses, for OpenAPI. :mod:`app.chat.documents` and :mod:`app.api.documents`
build them."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from app.chat.energy.formulas import Basis, Part
from app.chat.events import Status
from app.presets import ListedSources
from app.search.types import Degradation, LinkKind, RetrievalMode

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "integer"}
_SHARE: Final[Schema] = {"type": "number"}
_FLAG: Final[Schema] = {"type": "boolean"}
_DAY: Final[Schema] = {"type": "string", "format": "date"}
_MOMENT: Final[Schema] = {"type": "string", "format": "date-time"}


def _or_none(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _object(always: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties only. ``sometimes``: the optional ones."""
    return {
        "type": "object",
        "required": list(always),
        "properties": {**always, **(sometimes or {})},
        "additionalProperties": False,
    }


_TIME: Final = _object({}, {"in_force_on": _DAY, "published_from": _DAY, "published_before": _DAY})
_MODE: Final[Schema] = {"enum": [*get_args(RetrievalMode), None]}
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
_DEGRADED: Final = _list({"enum": list(get_args(Degradation))})

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
        "ended": _DAY,
        "celex": _TEXT,
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
        "suggestions": _list(_TEXT),
        "degraded": _DEGRADED,
        "mode": _MODE,
        "model": _or_none(_TEXT),
        "code": _TEXT,
        "time": _TIME,
        "energy": _ENERGY,
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
    }
)
_PASSAGE: Final = _object({"field": _TEXT, "start": _NUMBER, "end": _NUMBER, "text": _TEXT})
_MARKS: Final = _list(_list(_NUMBER))
_HIT: Final = _object(
    {
        "rank": _NUMBER,
        "id": _TEXT,
        "source": _TEXT,
        "language": _TEXT,
        "url": _TEXT,
        "href": _TEXT,
        "title": _TEXT,
        "heading": _TEXT,
        "lines": _list(_object({"text": _TEXT, "marks": _MARKS, "listed": _FLAG})),
        "score": _SHARE,
        "coverage": _SHARE,
        "similarity": {"type": "object", "additionalProperties": _SHARE},
        "passages": _list(_PASSAGE),
        "highlights": _list(_object({"text": _TEXT, "marks": _MARKS})),
    },
    {"ended": _DAY},
)
SEARCH: Final = _object(
    {"question": _TEXT, "mode": _MODE, "degraded": _DEGRADED, "hits": _list(_HIT)}, {"time": _TIME}
)
REBUILD: Final = _object(
    {
        "id": _TEXT,
        "source": _or_none(_TEXT),
        "state": _TEXT,
        "reason": _TEXT,
        "generation": _or_none(_NUMBER),
        "pages": _NUMBER,
        "written": _NUMBER,
        "failed": _NUMBER,
        "requested_at": _MOMENT,
        "started_at": _or_none(_MOMENT),
        "finished_at": _or_none(_MOMENT),
    }
)
REBUILDS: Final = _object({"rebuilds": _list(REBUILD)})
QUESTIONS: Final = _object(
    {
        "questions": _list(
            _object(
                {
                    "asked_at": _MOMENT,
                    "site": _TEXT,
                    "question": _TEXT,
                    "status": _TEXT,
                    "sources": _list(_TEXT),
                    "rating": _TEXT,
                    "comment": _TEXT,
                }
            )
        )
    }
)


def json_response(description: str, schema: Schema) -> dict[str, Any]:
    """The OpenAPI description of a response with a JSON body."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}
