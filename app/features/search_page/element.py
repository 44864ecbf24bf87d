"""The script with the element ``<auskunft-search>`` and its texts, for our page and for other websites."""

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from app.web.texts import TEXTS
from app.web.widget import as_json, without_comments

PREFIX: Final = "search_"
"""Prefix of the names of the texts that the element contains."""

UNUSED: Final = frozenset({"search_day", "search_months", "search_in"})
"""Texts with this prefix that only pages and chat need: browsers can format dates themselves."""

_SCRIPT: Final = Path(__file__).with_name("element.js")


@cache
def content() -> bytes:
    """Return the script without comments, with the texts of all languages."""
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
    """Return the script, gzipped."""
    return gzip.compress(content(), mtime=0)
