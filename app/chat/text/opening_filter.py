"""Holds an answer back until it says something of its own.

Small models often begin with the question, or say nothing but words of their instructions.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.chat.text.citations import BEGUN_LABEL, LABEL, LABELS

LEADING_WORDS: Final = 2
"""So many words of the instructions may precede a repeated question: "Question:"."""

LEAST_WORDS: Final = 3
"""The fewest words of a question whose repetition is recognised: shorter ones also begin answers."""

_NO_WORDS: Final = re.compile(
    rf"(?:[\[［【]|[(（](?={BEGUN_LABEL}))(?:[\d０-９\s,;:&^–—-]|{LABEL})*+(?:[\]］】)）]|{BEGUN_LABEL}?\Z)"
    r"|^[\s*_#>-]*+\d{1,2}(?:[.)]|\Z)",
    re.MULTILINE,
)
"""Citations, even unfinished, and numbers of list items."""

_WORD: Final = re.compile(r"\w+")
_COMPLETE: Final = re.compile(r"\w+(?=\W)")
_AFTER: Final = re.compile(r"[?!.:\"“”»]*+\**+\s*+")


class OpeningFilter:
    """Passes an answer through from its first own word, without a repeated ``question``.

    An own word neither repeats the question nor occurs in the ``instructions`` or labels of citations.
    Without one there is no answer. The output does not depend on how the text is split into pieces.
    """

    def __init__(self, question: str, instructions: Iterable[str]) -> None:
        self._question = _words(question)
        self._told = frozenset(word for text in instructions for word in _words(text)).union(LABELS)
        self._held = ""
        self._has_begun = False

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        if self._has_begun:
            return text
        self._held += text
        return self._opened(_COMPLETE)

    def close(self) -> str:
        """Return the rest of the answer; empty if it says nothing of its own."""
        return "" if self._has_begun else self._opened(_WORD)

    def _opened(self, pattern: re.Pattern[str]) -> str:
        readable = _NO_WORDS.sub(lambda match: " " * len(match[0]), self._held)
        found = list(pattern.finditer(readable))
        words = [match[0].casefold() for match in found]
        repeated = self._repeated(words)
        if all(word in self._told for word in words[repeated:]):
            return ""
        self._has_begun = True
        if not repeated:
            return self._held
        after = _AFTER.match(self._held, found[repeated - 1].end())
        return self._held[after.end() :] if after else ""

    def _repeated(self, words: Sequence[str]) -> int:
        """Return how many words at the beginning repeat the question, or the beginning of it."""
        if len(self._question) < LEAST_WORDS:
            return 0
        for before in range(LEADING_WORDS + 1):
            if not self._told.issuperset(words[:before]):
                break
            said = words[before : before + len(self._question)]
            if said and said == self._question[: len(said)]:
                return before + len(said)
        return 0


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
