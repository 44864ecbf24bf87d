"""Whether a quote tells what it leaves out: each ``[…]`` may stand for any text, all else for itself."""

import re
from typing import Final

from app.search.extracts import OMITTED

_NOTE: Final = re.compile(r"^\d+ (?:of|von) \d+ (?:shown|gezeigt|in full|vollständig).*$", re.MULTILINE)
_ADDRESS: Final = re.compile(r"\]\([^()\n]*\)")
_LETTERS: Final = re.compile(r"[^\W_]+")


def is_all_told(quote: str, section: str) -> bool:
    """True if the quote is the whole section, but for what its marks stand for. Markup does not count."""
    first, *others = [letters(part) for part in _NOTE.sub("", quote).split(OMITTED)]
    text = letters(section)
    if not others:
        return first == text
    *middle, last = others
    position = len(first)
    if not text.startswith(first):
        return False
    for part in middle:
        found = text.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return text.endswith(last) and len(text) - len(last) >= position


def letters(markdown: str) -> str:
    """All letters and digits, without what is between them and the addresses of links."""
    return "".join(_LETTERS.findall(_ADDRESS.sub("]", markdown)))
