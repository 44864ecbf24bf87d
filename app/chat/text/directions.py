"""Finds figures that an answer gives the wrong way round: "until" for "from", "at most" for "at least".

"Ab dem 16. August" and "bis zum 16. August", "at least 3" and "at most 3" state the same figure but mean the
opposite. German and English Markdown; pure functions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from app.chat.text.figure_keys import Figure
from app.chat.text.figure_kinds import Stated, is_same, kinds_of
from app.chat.text.figures import figures_of
from ingest.text import sentences

Direction = Literal["from", "until"]
_Directed = tuple[Stated, Direction | None]

CACHED_TEXTS: Final = 128
BEFORE_CHARACTERS: Final = 60
"""The word for a direction is looked for in so many characters before a figure."""

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
_CHANGE: Final = re.compile(
    r"\b(?:geschlossen|gesperrt|schließ(?:t|en)|sperrung(?:en)?|pausen?|wieder|frei|kein\w*"
    r"|nicht(?! (?:mehr|weniger) als)|clos(?:ed?|es|ures?)|shut|breaks?|again|reopen\w*|no longer|never"
    r"|not(?! (?:more|less|fewer) than))\b",
    re.IGNORECASE,
)
"""Words for changes, which reverse the direction: closed until a time means open from then."""


def reversed_in(sentence: str, sources: Iterable[str]) -> list[Figure]:
    """Return the figures for which a sentence says "until" or "at most" while all ``sources`` that have them
    say "from" or "at least", or the other way round."""
    words = _in_words(sentence)
    said = [
        (stated, direction)
        for stated, directly in _directions(sentence)
        if (direction := directly or (words if stated.kind in _KINDS else None))
    ]
    if not said or _CHANGE.search(sentence):
        return []
    told = [each for text in sources for each in _directions_of(text)]
    return [stated.figure for stated, direction in said if _is_reversed(stated, direction, told)]


def _is_reversed(stated: Stated, said: Direction, told: Iterable[_Directed]) -> bool:
    """Return True if every mention of the same figure in the sources has the opposite direction."""
    found = {
        direction
        for each, direction in told
        if each.kind == stated.kind and is_same(each.label, stated.label)
    }
    return bool(found) and found.isdisjoint({said, None})


@lru_cache(maxsize=CACHED_TEXTS)
def _directions_of(text: str) -> tuple[_Directed, ...]:
    """Return the figures of a source, each with its direction, which is None in a sentence about a change."""
    return tuple(
        (stated, None if _CHANGE.search(sentence) else direction)
        for sentence in sentences(text)
        for stated, direction in _directions(sentence)
    )


def _directions(sentence: str) -> Iterator[_Directed]:
    """Yield the figures, each with its direction. The later end of a range has none, because something else
    may begin there."""
    for _, same in groupby(kinds_of(sentence), key=lambda each: each.figure.span):
        first, *others = same
        yield first, _directly(sentence, first.figure)
        yield from ((each, None) for each in others)


def _directly(text: str, figure: Figure) -> Direction | None:
    """Return the direction given by the words right before a figure, or None."""
    start = figure.span[0]
    before = _DIRECTLY if figure.kind in _KINDS else _LIMIT
    found = before.search(text[max(start - BEFORE_CHARACTERS, 0) : start])
    if found is None:
        return None
    return "from" if found["from"] else "until"


def _in_words(sentence: str) -> Direction | None:
    """Return the direction that a sentence's words give its only day or time, or None."""
    if sum(figure.kind in _KINDS for figure in figures_of(sentence)) != 1:
        return None
    said = [direction for direction, words in _IN_WORDS.items() if words.search(sentence)]
    return said[0] if len(said) == 1 else None
