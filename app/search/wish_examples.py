"""The examples that wishes are told by (:mod:`app.search.intents`), a file for each language of the chat.

They are ordinary sentences, and show how a language is written, too.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files


@cache
def by_language() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the examples by language (ISO 639-1), then by intent, ``other`` or ``follow_up``."""
    folder = files("app.search").joinpath("intent_examples")
    return {
        each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
        for each in sorted(folder.iterdir(), key=lambda each: each.name)
    }
