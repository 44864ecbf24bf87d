"""Tells the day or time from which something holds from that until which it does, the least from the most.

"Ab dem 16. August" and "bis zum 16. August", "at least 3" and "at most 3" state the same figure and say the
opposite. Of German and English; Markdown, pure functions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from app.chat.text.figure_kinds import is_range
from app.chat.text.figures import Figure, figures_of

Direction = Literal["from", "until"]

CACHED_TEXTS: Final = 128
BEFORE_CHARACTERS: Final = 60
"""How far before a day stands what it is the beginning or the end of."""

_KINDS: Final = frozenset({"date", "time"})
_BETWEEN: Final = (
    r"(?:\s+(?:de[mnr]|zum|einschließlich|the|on|am|\w+tags?,?|mittwochs?,?|\w+day,?)){0,3}\s*\Z"
)
_DIRECTLY: Final = re.compile(
    r"\b(?:(?P<from>ab|seit|vom|frühestens|from|since|starting)"
    rf"|(?P<until>bis|spätestens|until|till|by|no later than))\b{_BETWEEN}",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    r"\b(?:(?P<from>mind(?:estens|\.)|wenigstens|nicht weniger als|at least|(?:no|not) (?:less|fewer) than)"
    r"|(?P<until>höchstens|maximal|max\.|nicht mehr als|at most|(?:no|not) more than))\s+(?:€|£|EUR)?\s?\Z",
    re.IGNORECASE,
)
_IN_WORDS: Final[Mapping[Direction, re.Pattern[str]]] = {
    "from": re.compile(
        r"\bfrühestens\b|\berste[rnms]? (?:tag|termin)\b|\bbeginn(?:t|en)?\b"
        r"|\bearliest\b|\bfirst day\b|\b(?:begins?|starts?)\b",
        re.IGNORECASE,
    ),
    "until": re.compile(
        r"\bspätestens\b|\bletzte[rnms]? (?:tag|termin)\b|\w*frist\b|\bend(?:et|en)\b"
        r"|\blatest\b|\blast day\b|\bdeadline\b|\bends?\b",
        re.IGNORECASE,
    ),
}


def is_turned(figure: Figure, sentence: str, sources: Iterable[str]) -> bool:
    """True if a sentence says "until" or "at most" of a figure of which all ``sources`` that have it say
    "from" or "at least", or the other way round."""
    said = _directions(sentence).get(figure) or (_in_words(sentence) if figure.kind in _KINDS else None)
    if said is None:
        return False
    told = frozenset[Direction | None]().union(
        *(_told(text).get(key, frozenset()) for text in sources for key in figure.states)
    )
    return bool(told) and told.isdisjoint({said, None})


def _directions(text: str) -> Mapping[Figure, Direction | None]:
    """The direction of each figure; of the later end of a range "until"."""
    figures = figures_of(text)
    spans = {span: tuple(same) for span, same in groupby(figures, key=lambda each: each.span)}
    ends = {same[-1] for same in spans.values() if is_range(same, text)}
    return {each: "until" if each in ends else _directly(text, each) for each in figures}


def _directly(text: str, figure: Figure) -> Direction | None:
    """The direction that the words right before a figure tell."""
    start = figure.span[0]
    before = _DIRECTLY if figure.kind in _KINDS else _LIMIT
    found = before.search(text[max(start - BEFORE_CHARACTERS, 0) : start])
    if found is None:
        return None
    return "from" if found["from"] else "until"


def _in_words(sentence: str) -> Direction | None:
    """The direction of the only day or time of a sentence."""
    if sum(figure.kind in _KINDS for figure in figures_of(sentence)) != 1:
        return None
    said = [direction for direction, words in _IN_WORDS.items() if words.search(sentence)]
    return said[0] if len(said) == 1 else None


@lru_cache(maxsize=CACHED_TEXTS)
def _told(text: str) -> Mapping[str, frozenset[Direction | None]]:
    """The directions of the figures of a text, by their keys."""
    found = defaultdict[str, set[Direction | None]](set)
    for figure, direction in _directions(text).items():
        for key in figure.states:
            found[key].add(direction)
    return {key: frozenset(directions) for key, directions in found.items()}
