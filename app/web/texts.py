"""The texts of our pages in German and English: those shared with the widget, and those of the pages only,
with those of features."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from flask import request

from app.feature import merged_json

LANGUAGES: Final = ("en", "de")
"""The first is the default."""

_CHAT: Final = files("app.web").joinpath("texts")


def _read(language: str) -> dict[str, str]:
    chat: dict[str, str] = json.loads(_CHAT.joinpath(f"{language}.json").read_text("utf-8"))
    return chat | merged_json("app.web", f"texts/pages/{language}.json")


TEXTS: Final[Mapping[str, Mapping[str, str]]] = {language: _read(language) for language in LANGUAGES}


def request_language() -> str:
    """The language of ``?lang=``, else the best match of ``Accept-Language``."""
    chosen = request.args.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
