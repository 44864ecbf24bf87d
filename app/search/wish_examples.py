"""The examples that wishes are told by (:mod:`app.search.intents`), a file for each language of the chat.

They are ordinary sentences, and show how a language is written, too.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from app.search.language_files import read_by_language


@cache
def by_language() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the examples by language (ISO 639-1), then by intent, ``other`` or ``follow_up``."""
    return read_by_language("app.search", "intent_examples")
