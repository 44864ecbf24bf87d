"""The options by which a request asks for JSON and for token counts; and the parsing of JSON replies.

Endpoints refuse unknown options with HTTP 400 or 422. They are then asked again with fewer: instead of a
schema any JSON object, then text. Refused options are not tried again. Models may put fences, reasoning or a
sentence around the JSON object.
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
"""At most so much of a reply is parsed, and so many opening braces are tried."""

TEXT: Final = {"type": "string"}
TEXTS: Final = {"type": "array", "items": TEXT}
"""Schemas of fields."""

_BRACE: Final = re.compile(r"\{")
_DECODER: Final = JSONDecoder()

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyForm:
    """The requested form of a reply. ``schema``: the schema of the JSON object that it should be, if the
    endpoint supports schemas. ``usage`` is called with the tokens that the reply took, ``model`` with the
    endpoint's name for its model, if the endpoint reports them."""

    schema: Mapping[str, object] | None = None
    usage: Report | None = None
    model: Callable[[str], object] | None = None


PLAIN: Final = ReplyForm()


def option_sets(form: ReplyForm, refused: Collection[Option]) -> Iterator[frozenset[Option]]:
    """Yield sets of options that ask for the form, without refused ones: first all, then fewer and fewer,
    finally none."""
    objects: list[Option] = ["json_schema", "json_object"] if form.schema is not None else []
    counts: list[Option] = ["usage"] if form.usage is not None else []
    for chosen in product([*objects, None], [*counts, None]):
        options = frozenset(option for option in chosen if option)
        if options.isdisjoint(refused):
            yield options


def body(form: ReplyForm, options: Collection[Option]) -> dict[str, object]:
    """Return the options in the form of a request body."""
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
    """Return the schema of an object with exactly these fields, given with their schemas."""
    return {
        "type": "object",
        "properties": {**fields},
        "required": [*fields],
        "additionalProperties": False,
    }


def parsed_reply(reply: str, form: type[Reply]) -> Reply | None:
    """Return the first valid JSON object in the reply, or None if there is none."""
    for brace in islice(_BRACE.finditer(reply[:REPLY_CHARACTERS]), MAX_OBJECTS):
        with suppress(ValueError, RecursionError):  # pydantic's errors are ValueErrors
            value, _ = _DECODER.raw_decode(reply, brace.start())
            return form.model_validate(value)
    return None
