"""The JSON object in a model's reply. Models put fences, reasoning or a sentence around it."""

import re
from contextlib import suppress
from itertools import islice
from json import JSONDecoder
from typing import Final, TypeVar

from pydantic import BaseModel

REPLY_CHARACTERS: Final = 5_000
MAX_OBJECTS: Final = 20
"""How much of a reply is parsed, and how many opening braces are tried."""

_BRACE: Final = re.compile(r"\{")
_DECODER: Final = JSONDecoder()

Reply = TypeVar("Reply", bound=BaseModel)


def parsed_reply(reply: str, form: type[Reply]) -> Reply | None:
    """The first JSON object in the reply that is valid; ``None`` if there is none."""
    for brace in islice(_BRACE.finditer(reply[:REPLY_CHARACTERS]), MAX_OBJECTS):
        with suppress(ValueError, RecursionError):  # pydantic's errors are ValueErrors
            value, _ = _DECODER.raw_decode(reply, brace.start())
            return form.model_validate(value)
    return None
