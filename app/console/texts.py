"""The console's texts, in German and English."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from flask import request

from app.web.texts import LANGUAGES

LANGUAGE_COOKIE: Final = "auskunft-language"

_FOLDER: Final = files("app.console").joinpath("texts")

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    language: json.loads(_FOLDER.joinpath(f"{language}.json").read_text("utf-8")) for language in LANGUAGES
}


def console_language() -> str:
    """The language of ``?lang=``, else the one chosen before, else the best match of ``Accept-Language``."""
    for chosen in (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if chosen in LANGUAGES:
            return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
