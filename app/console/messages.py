"""Messages of errors in the console's language: their templates are looked up in its catalogue."""

import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Final

from app.errors import AuskunftError, FetchError, NotFoundError, PageError, SourceUnavailableError
from app.feature import merged_json

_LONG: Final = re.compile(r"(\S{100})\S{100,}")
"""What somebody typed, as errors repeat it: of no word more is shown than its beginning."""

WRITTEN: Final = "en"
"""The language that messages are written in."""


def failure_text(failure: AuskunftError | None, texts: Mapping[str, str], language: str) -> str:
    """What went wrong, for the one who tried."""
    if failure is None:
        return ""
    if text := texts.get(f"error_{failure.code}"):
        return text
    if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(failure, SourceUnavailableError):
        return f"{texts['problem_later']}. {texts['problem_later_text']}"
    message = _LONG.sub(r"\1…", translated(failure, language))
    if language == WRITTEN or failure.template in catalogue(language):
        return message
    return _meaning(failure, message, texts)


def reason_text(reason: str, language: str) -> str:
    """Return a stored reason in ``language``. Only its text was stored, which is the template of an error
    without values."""
    return catalogue(language).get(reason, reason)


def _meaning(failure: AuskunftError, message: str, texts: Mapping[str, str]) -> str:
    """What kind of error it is, where nobody has translated its message."""
    match failure:
        case NotFoundError():
            return f"{texts['problem_missing']}. {texts['problem_missing_text']}"
        case FetchError() | PageError():
            return f"{texts[f'reason_{failure.reason}']} ({message})"
    return message


def translated(error: AuskunftError, language: str) -> str:
    """Return the error's message in ``language`` if there is a translation, else as it is written. Errors
    among its values are translated too."""
    text = catalogue(language).get(error.template)
    if text is None:
        return str(error)
    if not error.values:
        return text
    values = {
        name: translated(value, language) if isinstance(value, AuskunftError) else value
        for name, value in error.values.items()
    }
    return text.format(**values)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The translations by their templates; empty for a language that has none."""
    return merged_json("app.console", f"texts/messages.{language}.json")
