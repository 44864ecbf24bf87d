"""The form that a request asks a reply to have: JSON, by a schema or not, and its use of tokens; and the JSON
object in the reply, around which models put fences, reasoning or a sentence.

Endpoints refuse options that they do not know with HTTP 400 or 422. They are asked again with fewer, from a
schema to any JSON object to text, and no more for what they refused.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product
from json import JSONDecoder
from typing import Final, Literal, TypeVar

from pydantic import BaseModel

from app.chat.model.tokens import Report

Option = Literal["json_schema", "json_object", "usage"]

REPLY_CHARACTERS: Final = 5_000
MAX_OBJECTS: Final = 20
"""How much of a reply is parsed, and how many opening braces are tried."""

TEXT: Final = {"type": "string"}
TEXTS: Final = {"type": "array", "items": TEXT}
"""Schemas of fields."""

_BRACE: Final = re.compile(r"\{")
_DECODER: Final = JSONDecoder()

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyForm:
    """What is wanted of a reply beside its text. ``schema``: of the JSON object that it should be, where the
    endpoint knows schemas; ``usage`` is called with what the reply took, ``model`` with the name that the
    endpoint gives its model, each where the endpoint tells it."""

    schema: Mapping[str, object] | None = None
    usage: Report | None = None
    model: Callable[[str], object] | None = None


PLAIN: Final = ReplyForm()


def option_sets(form: ReplyForm, refused: Collection[Option]) -> Iterator[frozenset[Option]]:
    """The options that ask for the form, without refused ones: all at first, then fewer and fewer, none at
    last."""
    objects: list[Option] = ["json_schema", "json_object"] if form.schema is not None else []
    counts: list[Option] = ["usage"] if form.usage is not None else []
    for chosen in product([*objects, None], [*counts, None]):
        options = frozenset(option for option in chosen if option)
        if options.isdisjoint(refused):
            yield options


def body(form: ReplyForm, options: Collection[Option]) -> dict[str, object]:
    """The options as a request has them."""
    asked: dict[str, object] = {}
    if "json_schema" in options:
        schema = {"name": "reply", "strict": True, "schema": form.schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif "json_object" in options:
        asked["response_format"] = {"type": "json_object"}
    if "usage" in options:
        asked["stream_options"] = {"include_usage": True}
    return asked


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
