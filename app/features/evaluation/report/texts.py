"""Texts of the report pages: a file for each language, with a group for each page."""

from typing import Any, Final, Literal

from app.document import package_json

LANGUAGES: Final = ("de", "en")

Group = Literal["figures", "evaluation", "calibration", "grades", "configurations"]


def page_texts(group: Group, language: str) -> dict[str, Any]:
    """Return the texts of a page in one of ``LANGUAGES``; ``figures``: names of figures, in the report's
    order."""
    found: dict[str, Any] = package_json(__package__, f"texts/{language}.json")[group]
    return found
