"""Finds acts' names in questions, however many acts there are.

Names and questions are compared word by word, so that the cost of a question does not depend on the number of
names. Capitals, hyphens and the form of apostrophes do not matter: "KI Verordnung" is "KI-Verordnung".
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN: Final = re.compile(r"[\s-]{1,2}|['’.]")
_NAME: Final = re.compile(rf"[^\W_]+(?:(?:{_BETWEEN.pattern})[^\W_]+)*")


class ActNames:
    """CELEX numbers by the names of acts. Names that are not only words, such as printed designations, are
    left out."""

    def __init__(self, names: Mapping[str, str]) -> None:
        trimmed = {name.strip(): celex for name, celex in names.items()}
        self._celex = {_plain(name): celex for name, celex in trimmed.items() if _NAME.fullmatch(name)}
        self._longest = max((len(name.split()) for name in self._celex), default=0)

    def replaced(self, text: str, with_: Callable[[str, str], str]) -> str:
        """Return ``text`` with each name replaced by ``with_``, which gets the name as written and its CELEX
        number. At each place the longest name counts."""
        words = list(_WORD.finditer(text))
        parts, end, number = [], 0, 0
        while number < len(words):
            count = self._at(text, words, number)
            if count:
                start, stop = words[number].start(), words[number + count - 1].end()
                parts += [text[end:start], with_(text[start:stop], self._celex[_plain(text[start:stop])])]
                end = stop
            number += count or 1
        return "".join([*parts, text[end:]])

    def _at(self, text: str, words: list[re.Match[str]], first: int) -> int:
        """Return the number of words in the longest name that begins at word ``first``; 0 if none does."""
        found = 0
        for last in range(first, min(first + self._longest, len(words))):
            between = text[words[last - 1].end() : words[last].start()] if last > first else " "
            if not _BETWEEN.fullmatch(between):
                break
            if _plain(text[words[first].start() : words[last].end()]) in self._celex:
                found = last - first + 1
        return found


def _plain(name: str) -> str:
    return " ".join(_WORD.findall(name.lower()))
