"""The console's texts and those of features, in German and English."""

from collections.abc import Mapping
from typing import Final

from flask import request

from app.feature import merged_json
from app.web.texts import LANGUAGES

LANGUAGE_COOKIE: Final = "auskunft-language"

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    language: merged_json("app.console", f"texts/{language}.json") for language in LANGUAGES
}


def console_language() -> str:
    """The language of ``?lang=``, or else of the cookie, or else the best match of ``Accept-Language``."""
    for chosen in (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if chosen in LANGUAGES:
            return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
