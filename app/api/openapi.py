"""Parts of which the JSON Schemas of responses are made."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from app.search.types import Degradation, RetrievalMode

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "integer"}
SHARE: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
DAY: Final[Schema] = {"type": "string", "format": "date"}
MOMENT: Final[Schema] = {"type": "string", "format": "date-time"}


def or_none(schema: Schema) -> Schema:
    """A value of the schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(of: Schema) -> Schema:
    """A list of such values."""
    return {"type": "array", "items": of}


def object_of(always: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties only. ``sometimes``: the optional ones."""
    return {
        "type": "object",
        "required": list(always),
        "properties": {**always, **(sometimes or {})},
        "additionalProperties": False,
    }


TIME: Final = object_of({}, {"in_force_on": DAY, "published_from": DAY, "published_before": DAY})
MODE: Final[Schema] = {"enum": [*get_args(RetrievalMode), None]}
DEGRADED: Final = list_of({"enum": list(get_args(Degradation))})
PASSAGE: Final = object_of({"field": TEXT, "start": NUMBER, "end": NUMBER, "text": TEXT})


def json_response(description: str, schema: Schema) -> dict[str, Any]:
    """The OpenAPI description of a response with a JSON body."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}
