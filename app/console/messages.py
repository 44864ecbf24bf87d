"""Translates error messages to the console's language, by looking up their templates in its catalogue."""

import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from string import Formatter
from typing import Any, Final

from app.errors import AuskunftError, FetchError, NotFoundError, PageError, SourceUnavailableError
from app.feature import merged_json
from ingest.said import Said

_LONG: Final = re.compile(r"(\S{100})\S{100,}")
"""A long word that an error repeats from somebody's input: only its beginning is shown."""

WRITTEN: Final = "en"
"""The language that messages are written in."""


def failure_text(failure: AuskunftError | None, texts: Mapping[str, str], language: str) -> str:
    """The message of a failure for the user; empty without one."""
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
    """Return a stored reason in ``language``. Only the text was stored, which for an error without values is
    its template."""
    return catalogue(language).get(reason, reason)


def _meaning(failure: AuskunftError, message: str, texts: Mapping[str, str]) -> str:
    """A text on the kind of error, because its message has no translation."""
    match failure:
        case NotFoundError():
            return f"{texts['problem_missing']}. {texts['problem_missing_text']}"
        case FetchError() | PageError():
            return f"{texts[f'reason_{failure.reason}']} ({message})"
    return message


class _German(Formatter):
    """Writes numbers as German does."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        return text.translate(str.maketrans(",.", ".,")) if isinstance(value, int | float) else text


_FORMATTERS: Final = {"de": _German()}


def translated(said: AuskunftError | str, language: str) -> str:
    """Return an error's message, or a check's :class:`Said`, in ``language`` if there is a translation,
    otherwise as written. Errors and ``Said`` among its values are translated, too."""
    if not isinstance(said, AuskunftError | Said):
        return said
    text = catalogue(language).get(said.template)
    if text is None and isinstance(said, AuskunftError):
        return str(said)
    text = text or said.template
    values = {name: _value(value, language) for name, value in said.values.items()}
    return _FORMATTERS.get(language, Formatter()).vformat(text, (), values) if values else text


def _value(value: Any, language: str) -> Any:
    if isinstance(value, tuple):
        return "; ".join(translated(part, language) for part in value)
    return translated(value, language) if isinstance(value, AuskunftError | Said) else value


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return translations by template; empty if the language has none."""
    return merged_json("app.console", f"texts/messages.{language}.json")
