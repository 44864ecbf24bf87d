"""Reads folders that have a JSON file for each language of the chat."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any


def read_by_language(package: str, folder: str) -> Mapping[str, Any]:
    """Return what the files say, by language (ISO 639-1), in the order of their names."""
    found = files(package).joinpath(folder).iterdir()
    return {
        each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
        for each in sorted(found, key=lambda each: each.name)
    }


@cache
def wish_examples() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the examples that wishes are told by (:mod:`app.search.intents`), by language (ISO 639-1), then
    by intent, ``other`` or ``follow_up``. As ordinary sentences they show how a language is written, too."""
    return read_by_language("app.search", "intent_examples")
