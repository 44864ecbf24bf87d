"""Says why a page is not found and what would have to change, in German and English."""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from app.features.explain.why_not import Cause, Remedy

LANGUAGES: Final = ("en", "de")
"""The first is used for any other."""

_FIGURES: Final = ("similarity", "threshold", "score")


def cause_sentence(cause: Cause, language: str = "en") -> str:
    """Return what kept a page out of an answer, in ``language`` or in English."""
    sentence: str = _texts(language)["causes"][cause]
    return sentence


def remedy_sentence(remedy: Remedy, language: str = "en") -> str:
    """Return what would have to change, in ``language`` or in English."""
    texts = _texts(language)
    sentence: str = texts["remedies"][remedy.code]
    names = {"part": texts["parts"], "field": texts["fields"]}
    values = {name: names.get(name, {}).get(value, value) for name, value in remedy.values.items()}
    if language == "de":
        values |= {name: value.replace(".", ",") for name, value in values.items() if name in _FIGURES}
    return sentence.format(**values).strip()


@cache
def _texts(language: str) -> dict[str, Any]:
    name = f"why_not.{language if language in LANGUAGES else LANGUAGES[0]}.json"
    texts: dict[str, Any] = json.loads(files(__package__).joinpath("texts", name).read_text("utf-8"))
    return texts
