"""Reads folders of this package that have a JSON file for each language."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def read_by_language(package: str, folder: str) -> Mapping[str, Any]:
    """Return what the files say, by language (ISO 639-1), in the order of their names."""
    found = files(package).joinpath(folder).iterdir()
    return {
        each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
        for each in sorted(found, key=lambda each: each.name)
    }
