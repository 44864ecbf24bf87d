"""Texts of the pages that reports are: a file for each language, in it a group for each page."""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

LANGUAGES: Final = ("de", "en")

Group = Literal["figures", "evaluation", "calibration", "grades", "configurations"]


def page_texts(group: Group, language: str) -> dict[str, Any]:
    """The texts of a page in one of ``LANGUAGES``; ``figures``: those that the report shows, in its order."""
    found: dict[str, Any] = _read(language)[group]
    return found


@cache
def _read(language: str) -> dict[str, dict[str, Any]]:
    file = files(__package__).joinpath("texts", f"{language}.json")
    read: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return read
