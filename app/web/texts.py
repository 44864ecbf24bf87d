"""The texts of our pages in German and English: those shared with the widget, and those of the pages only."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from flask import request

LANGUAGES: Final = ("en", "de")
"""The first is the default."""

_FOLDER: Final = files("app.web").joinpath("texts")


def _read(language: str) -> dict[str, str]:
    chat, pages = (
        json.loads(_FOLDER.joinpath(*path).read_text("utf-8"))
        for path in ([f"{language}.json"], ["pages", f"{language}.json"])
    )
    return {**chat, **pages}


TEXTS: Final[Mapping[str, Mapping[str, str]]] = {language: _read(language) for language in LANGUAGES}


def request_language() -> str:
    """The language of ``?lang=``, else the best match of ``Accept-Language``."""
    chosen = request.args.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
