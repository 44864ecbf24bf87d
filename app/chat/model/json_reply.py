"""The JSON object that a model is asked for, and the one in its reply. Models put fences, reasoning or a
sentence around it."""

import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from json import JSONDecoder
from typing import Final, TypeVar

from pydantic import BaseModel

REPLY_CHARACTERS: Final = 5_000
MAX_OBJECTS: Final = 20
"""How much of a reply is parsed, and how many opening braces are tried."""

TEXT: Final = {"type": "string"}
TEXTS: Final = {"type": "array", "items": TEXT}
"""Schemas of fields."""

_BRACE: Final = re.compile(r"\{")
_DECODER: Final = JSONDecoder()

Reply = TypeVar("Reply", bound=BaseModel)


def object_schema(fields: Mapping[str, object]) -> dict[str, object]:
    """The schema of an object with these fields, by their own schemas: all of them and no other."""
    return {
        "type": "object",
        "properties": {**fields},
        "required": [*fields],
        "additionalProperties": False,
    }


def parsed_reply(reply: str, form: type[Reply]) -> Reply | None:
    """The first JSON object in the reply that is valid; ``None`` if there is none."""
    for brace in islice(_BRACE.finditer(reply[:REPLY_CHARACTERS]), MAX_OBJECTS):
        with suppress(ValueError, RecursionError):  # pydantic's errors are ValueErrors
            value, _ = _DECODER.raw_decode(reply, brace.start())
            return form.model_validate(value)
    return None
