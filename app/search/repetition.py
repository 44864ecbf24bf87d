"""Text that says what another one says already. Pure functions."""

import re
from typing import Final

_WORD: Final = re.compile(r"\w+")


def says_again(text: str, part: str) -> bool:
    """True if ``text`` has all words of ``part`` one after the other, whatever stands between them: markup,
    white space, or the dots of a text that was cut."""
    folded = text.casefold()
    words = _WORD.findall(part.casefold())
    if any(word not in folded for word in words):  # as of most texts, and found sooner
        return False
    return f" {' '.join(words)} " in f" {' '.join(_WORD.findall(folded))} "
