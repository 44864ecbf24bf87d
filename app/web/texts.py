"""The texts of our pages in German and English: shared with the widget, for pages only, and of features."""

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
    """The language of ``?lang=``, otherwise the best match of ``Accept-Language``."""
    chosen = request.args.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
