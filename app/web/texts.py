"""The texts of our pages in German and English: those shared with the widget, and those of the pages only,
with those of features."""

from collections.abc import Mapping
from typing import Final

from flask import request

from app.document import package_json
from app.feature import merged_json

LANGUAGES: Final = ("en", "de")
"""The first is the default."""

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    language: package_json("app.web", f"texts/{language}.json")
    | merged_json("app.web", f"texts/pages/{language}.json")
    for language in LANGUAGES
}


def request_language() -> str:
    """The language of ``?lang=``, else the best match of ``Accept-Language``."""
    chosen = request.args.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
