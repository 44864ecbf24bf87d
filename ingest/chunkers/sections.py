"""Sections: the text between headings, long ones split recursively by characters.

Semantics (exact):

* A field is cut before every ATX heading outside code blocks, unless there are only headings between it and
  the previous cut.
* A section of up to ``characters`` characters is one core.
* A longer one has cores of at most ``characters - overlap``: it is split after its paragraphs; pieces that
  are too long are split after their lines, then sentences, words and characters. Neighbouring pieces are
  joined, from the left, while they fit, so that no two neighbouring cores of a section would fit into one.
* A heading stays with the beginning of its text, unless it fills a whole core.
* A chunk's text is up to ``overlap`` characters before its core in its section, then the core. An overlap
  that begins within a word leaves out the rest of this word, unless nothing else would be left. A text never
  has more than ``characters`` characters.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from ingest.chunkers.context import marked_lines
from ingest.chunkers.fields import Piece, chunks_of, joined
from ingest.chunkers.separators import SEPARATORS, WORD, split_after
from ingest.protocols import Recipe
from ingest.types import Chunk, Page

HEADING_SHARE: Final = 0.75
"""The largest part of a core for several headings in a row; if they are longer, only the last one stays with
the text."""


class SectionsChunker:
    """Splits every non-empty field into sections; see the module for the exact semantics.

    With ``context_line`` the content's chunks carry ``title › heading › heading``, as windows do.
    """

    def __init__(self, context_line: bool = True, characters: int = 400, overlap: int = 50) -> None:
        """Raise ``ValueError`` unless ``overlap`` is less than ``characters``."""
        if not 0 <= overlap < characters:
            raise ValueError(
                f"an overlap of {overlap} in {characters} characters: use 0 or more, but less than these"
            )
        self._context_line = context_line
        self._characters = characters
        self._overlap = overlap
        self.recipe: Recipe = {
            "name": "sections",
            "version": 2,
            "characters": characters,
            "overlap": overlap,
            "context_line": context_line,
        }

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Return the sections of every non-empty field, in the order of ``FIELDS``."""
        return chunks_of(page, self._pieces, context_line=self._context_line)

    def _pieces(self, markdown: str) -> list[Piece]:
        return joined(core for section in sections(markdown) for core in self._cores(section))

    def _cores(self, section: str) -> Iterator[tuple[str, str]]:
        """Yield pairs of overlap and core for a section."""
        if len(section) <= self._characters:
            yield "", section
            return
        start = 0
        for core in split_section(section, self._characters - self._overlap):
            yield _overlap(section, start, self._overlap), core
            start += len(core)


def sections(markdown: str) -> list[str]:
    """Return the text before the first heading and the sections; joined, they are the Markdown."""
    found: list[list[str]] = [[]]
    has_text = False
    for line, heading in marked_lines(markdown):
        if heading and has_text:
            found.append([])
            has_text = False
        found[-1].append(line)
        has_text = has_text or not (heading or line.isspace())
    return ["".join(lines) for lines in found if lines]


class Opening(NamedTuple):
    """Offsets of a section's last heading, of its end, and of the text below it."""

    heading: int
    heading_end: int
    text: int

    def is_cut_off_at(self, end: int) -> bool:
        """Return True if a cut at ``end`` separates the heading from its text."""
        return 0 < self.heading_end <= end <= self.text


def opening(section: str) -> Opening:
    """Return the opening of a section; zeros if it has no heading, or only headings."""
    start = end = offset = 0
    for line, heading in marked_lines(section):
        if heading:
            start, end = offset, offset + len(line)
        elif not line.isspace():
            return Opening(start, end, offset)
        offset += len(line)
    return Opening(0, 0, 0)


def split_section(section: str, limit: int) -> list[str]:
    """Split a section as :func:`split` does, but keep its last heading with the beginning of its text if
    there is room for both."""
    pieces, first = split(section, limit), opening(section)
    starts = [0, *accumulate(map(len, pieces))]
    cut_off = next((place for place, end in enumerate(starts[1:-1]) if first.is_cut_off_at(end)), None)
    if cut_off is None:
        return pieces
    start = starts[cut_off]
    if first.text - start > limit * HEADING_SHARE:  # then keep only the last of several headings
        start = max(start, first.heading)
    room = limit - (first.text - start)
    if room <= 0:
        return pieces
    end = first.text + len(split(section[first.text :], room)[0])
    before = [*pieces[:cut_off], section[starts[cut_off] : start]]
    return [piece for piece in (*before, section[start:end], *split(section[end:], limit)) if piece]


def split(text: str, limit: int, separators: Sequence[re.Pattern[str]] = SEPARATORS) -> list[str]:
    """Split ``text`` into pieces of at most ``limit`` characters, after the coarsest separators possible."""
    if len(text) <= limit:
        return [text]
    if not separators:
        return [text[start : start + limit] for start in range(0, len(text), limit)]
    parts = (split(part, limit, separators[1:]) for part in split_after(separators[0], text))
    return _merged((piece for pieces in parts for piece in pieces), limit)


def _merged(parts: Iterable[str], limit: int) -> list[str]:
    """Join neighbours, from the left, while they fit."""
    merged: list[str] = []
    for part in parts:
        if merged and len(merged[-1]) + len(part) <= limit:
            merged[-1] += part
        else:
            merged.append(part)
    return merged


def _overlap(text: str, start: int, size: int) -> str:
    """Return up to ``size`` characters before ``start``, beginning with a whole word if possible."""
    first = max(start - size, 0)
    if first and not text[first - 1].isspace() and (space := WORD.search(text, first, start)):
        first = space.end()
    return text[first:start]
