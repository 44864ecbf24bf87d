"""Figures and their keys, by which those of an answer and of its sources are compared."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

Keys = frozenset[str]
"""Figures in a form that is the same in all languages: ``37.5``, ``2025-05-01``, ``8:30``, ``article 6``."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    ``any_of``: its possible readings, empty for a number that cannot be read. A source states the figure if
    it has all keys of one reading. ``states``: the keys that the figure stands for in a source. ``kind``: the
    pattern that matched it. ``span``: its place in the text.
    """

    any_of: tuple[Keys, ...]
    states: Keys
    kind: str = ""
    span: tuple[int, int] = (0, 0)


LITERAL: Final = "="
"""Prefix of a key that is looked for as a substring in the letters and digits of a text."""

Read = Callable[[re.Match[str]], Iterator[Figure]]
Reader = tuple[str, re.Pattern[str], Read]
"""A kind of figure, its pattern, and the function that makes figures from a match."""


def one(*keys: str) -> Figure:
    """Return the figure whose only reading has these keys."""
    return Figure(any_of=(frozenset(keys),), states=frozenset(keys))


def is_stated(figure: Figure, keys: Keys, compact: str) -> bool:
    """Return True if a text with these ``keys`` and ``compact`` letters (see
    :func:`app.chat.text.figures.keys_of`) states the figure."""
    return any(
        all(key[1:] in compact if key.startswith(LITERAL) else key in keys for key in reading)
        for reading in figure.any_of
    )


def compact_form(text: str) -> str:
    """Return the text, case-folded, without the characters that people put between digits of long numbers."""
    return re.sub(r"[^\S\n]|[()/.‐‑–—-]", "", text).casefold()
