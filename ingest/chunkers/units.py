"""Units: one line of thought is one chunk, a long one is split at its best places.

Semantics (exact):

* A field is cut before its headings, as by :mod:`ingest.chunkers.sections`, so that a question of a FAQ stays
  with its answer. A part of fewer than 250 characters is joined with its neighbour if both together have at
  most 1,000 characters.
* A part of up to 1,000 characters is one core.
* A longer part is cut from its start into cores of 500 to 1,000 characters, the last of at least 250. Each
  core ends after the last paragraph that ends in this range, otherwise after the last line, sentence or word,
  otherwise at the maximum, but not between a heading and its text.
* The cores, joined, are the field byte for byte. They have no overlap.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ingest.chunkers.fields import Piece, chunks_of, joined
from ingest.chunkers.sections import opening, sections
from ingest.chunkers.separators import SEPARATORS
from ingest.protocols import Recipe
from ingest.types import Chunk, Page

MIN_CHARACTERS: Final = 500
MAX_CHARACTERS: Final = 1_000
MIN_REST_CHARACTERS: Final = 250


class UnitsChunker:
    """Cuts fields at their headings, long parts into chunks of 500 to 1,000 characters; see the module.

    With ``context_line`` the content's chunks carry ``title › heading › heading``, as windows do.
    """

    def __init__(self, context_line: bool = True) -> None:
        self._context_line = context_line
        self.recipe: Recipe = {
            "name": "units",
            "version": 2,
            "min_characters": MIN_CHARACTERS,
            "max_characters": MAX_CHARACTERS,
            "context_line": context_line,
        }

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Return the units of every non-empty field, in the order of ``FIELDS``."""
        return chunks_of(page, _pieces, context_line=self._context_line)


def _pieces(markdown: str) -> list[Piece]:
    return joined(("", core) for core in cores(markdown))


def cores(text: str) -> Iterator[str]:
    """Split a text into cores; joined, they are the text."""
    for theme in _themes(text):
        yield from _cores_of(theme)


def _themes(text: str) -> list[str]:
    """Return the text's sections; short ones are joined with their neighbours if both fit into a core."""
    themes: list[str] = []
    for section in sections(text):
        is_short = bool(themes) and min(len(themes[-1]), len(section)) < MIN_REST_CHARACTERS
        if is_short and len(themes[-1]) + len(section) <= MAX_CHARACTERS:
            themes[-1] += section
        else:
            themes.append(section)
    return themes


def _cores_of(theme: str) -> Iterator[str]:
    start, first = 0, opening(theme)
    while len(theme) - start > MAX_CHARACTERS:
        latest = min(start + MAX_CHARACTERS, len(theme) - MIN_REST_CHARACTERS)
        end = _best_cut(theme, start + MIN_CHARACTERS, latest)
        if first.is_cut_off_at(end):
            end = _best_cut(theme, first.text + 1, latest) if first.text < latest else first.heading
        if end <= start:  # the heading fills the whole core
            end = latest
        yield theme[start:end]
        start = end
    yield theme[start:]


def _best_cut(text: str, earliest: int, latest: int) -> int:
    ends = (_last_end(separator, text, earliest, latest) for separator in SEPARATORS)
    return next((end for end in ends if end), latest)


def _last_end(separator: re.Pattern[str], text: str, earliest: int, latest: int) -> int:
    """Return the end of the last separator in ``text[earliest:latest]``; 0 if there is none."""
    return max((match.end() for match in separator.finditer(text, earliest, latest)), default=0)
