"""Translates messages of errors, which are written in English, into the console's language."""

import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Final

from app.errors import AuskunftError, FetchError, NotFoundError, PageError, SourceUnavailableError
from app.feature import merged_json

_MOST_CHARACTERS: Final = 2_000
"""Longer messages are returned as they are: places within patterns make these slow on long texts."""

_LONG: Final = re.compile(r"(\S{100})\S{100,}")
"""What somebody typed, as errors repeat it: of no word more is shown than its beginning."""

WRITTEN: Final = "en"
"""The language that messages are written in."""

_PLACE: Final = re.compile(r"\\\{(\w+)\\\}")

_Patterns = list[tuple[re.Pattern[str], str]]


def failure_text(failure: AuskunftError | None, texts: Mapping[str, str], language: str) -> str:
    """What went wrong, for the one who tried."""
    if failure is None:
        return ""
    if text := texts.get(f"error_{failure.code}"):
        return text
    if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(failure, SourceUnavailableError):
        return f"{texts['problem_later']}. {texts['problem_later_text']}"
    message = _LONG.sub(r"\1…", str(failure))
    said = translated(message, language)
    return said if said != message or language == WRITTEN else _meaning(failure, message, texts)


def _meaning(failure: AuskunftError, message: str, texts: Mapping[str, str]) -> str:
    """What kind of error it is, where nobody has translated its message."""
    match failure:
        case NotFoundError():
            return f"{texts['problem_missing']}. {texts['problem_missing_text']}"
        case FetchError() | PageError():
            return f"{texts[f'reason_{failure.reason}']} ({message})"
    return message


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
    texts = merged_json("app.console", f"texts/messages.{language}.json")
    return [(_pattern(message), text) for message, text in texts.items()]


def _pattern(message: str) -> re.Pattern[str]:
    return re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(message)), re.DOTALL)
