"""Text that says what another one says already. Pure functions."""

import re
from typing import Final

_WORD: Final = re.compile(r"\w+")


def says_again(text: str, part: str) -> bool:
    """True if ``text`` has all words of ``part`` one after the other, whatever stands between them: markup,
    white space, or the dots of a text that was cut."""
    return f" {_words(part)} " in f" {_words(text)} "


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
