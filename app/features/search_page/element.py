"""The script with the element ``<auskunft-search>`` and its texts, for our page and other websites."""

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from app.web.texts import TEXTS
from app.web.widget import as_json, without_comments

PREFIX: Final = "search_"
"""What the names of the texts begin with that the element contains."""

UNUSED: Final = frozenset({"search_day", "search_months", "search_in"})
"""Those of pages and chat: browsers know how days are written."""

_SCRIPT: Final = Path(__file__).with_name("element.js")


@cache
def content() -> bytes:
    """The script with the texts of all languages, without comments."""
    texts = {
        language: {
            name.removeprefix(PREFIX): text
            for name, text in own.items()
            if name.startswith(PREFIX) and name not in UNUSED
        }
        for language, own in TEXTS.items()
    }
    return without_comments(_SCRIPT.read_bytes()).replace(b"__TEXTS__", as_json(texts).encode())


@cache
def packed() -> bytes:
    """The script, gzipped."""
    return gzip.compress(content(), mtime=0)
