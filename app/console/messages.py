"""What people did wrong, said in the console's language: messages of errors are written in English."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

_FOLDER: Final = files("app.console").joinpath("texts")
_MOST_CHARACTERS: Final = 2_000
"""Longer messages are returned as they are: places within patterns make these slow on long texts."""

_PLACE: Final = re.compile(r"\\\{(\w+)\\\}")

_Patterns = list[tuple[re.Pattern[str], str]]


def translated(message: str, language: str) -> str:
    """Return the message in ``language`` if there is a translation, else as it is."""
    if len(message) > _MOST_CHARACTERS:
        return message
    for pattern, text in _patterns(language):
        if found := pattern.fullmatch(message):
            return text.format(**found.groupdict())
    return message


@cache
def _patterns(language: str) -> _Patterns:
    """The translations by their English messages, in which ``{name}`` stands for any text."""
    path = _FOLDER.joinpath(f"messages.{language}.json")
    texts: Mapping[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return [(_pattern(message), text) for message, text in texts.items()]


def _pattern(message: str) -> re.Pattern[str]:
    return re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(message)), re.DOTALL)
