"""Texts of the pages that reports are: a file for each language, in it a group for each page."""

from typing import Any, Final, Literal

from app.document import package_json

LANGUAGES: Final = ("de", "en")

Group = Literal["figures", "evaluation", "calibration", "grades", "configurations"]


def page_texts(group: Group, language: str) -> dict[str, Any]:
    """The texts of a page in one of ``LANGUAGES``; ``figures``: those that the report shows, in its order."""
    found: dict[str, Any] = package_json(__package__, f"texts/{language}.json")[group]
    return found
