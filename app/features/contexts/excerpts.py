"""Cuts the excerpt that the model gets with a chunk: the whole document, its chapter, or the text around it.

Neighbouring chunks get the same text, byte for byte, so that the endpoint can cache it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from app.chat.model.tokens import estimate
from app.features.contexts.chunks import FIELD, outline
from ingest.chunkers.context import marked_lines
from ingest.text import shortened
from ingest.types import Chunk, Page

OUTLINE_SHARE: Final = 4
"""The outline gets one part in this many of the budget, if the document is not given as a whole."""

CHARACTERS_PER_TOKEN: Final = 2
"""Fewer than in nearly all texts, so that text cut to this length fits."""

SHRINKING: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A document for the prompt: its ``text``, and the ``outline`` if the text is not the whole document."""

    outline: str
    text: str


class _Section(NamedTuple):
    """A section in bytes, from a heading to the next of its level or above; or the whole document."""

    start: int
    end: int


class DocumentExcerpts:
    """The excerpts of one page, of at most ``tokens`` each."""

    def __init__(self, page: Page, tokens: int) -> None:
        self._page = page
        self._markdown = page.fields.get(FIELD, "")
        self._data = self._markdown.encode()
        self._tokens = tokens
        self._parts: dict[_Section, list[_Section]] = {}

    def of(self, chunk: Chunk) -> Excerpt:
        """Return the excerpt for a chunk of the content."""
        if self._is_whole:
            return Excerpt(outline="", text=self._markdown)
        around = [each for each in self._sections if each.start <= chunk.start < each.end]
        chapter = next((each for each in around if self._fits(each)), None)
        return Excerpt(outline=self._outline, text=self._text(chapter or self._part(around[-1], chunk)))

    @cached_property
    def _is_whole(self) -> bool:
        return self._count(self._markdown) <= self._tokens

    @cached_property
    def _outline(self) -> str:
        characters = self._tokens // OUTLINE_SHARE * CHARACTERS_PER_TOKEN
        return shortened(outline(self._page), characters)

    @cached_property
    def _room(self) -> int:
        """The tokens left for a part of the document."""
        return self._tokens - self._tokens // OUTLINE_SHARE

    @cached_property
    def _sections(self) -> list[_Section]:
        """All sections, outer ones first."""
        found = sorted(_sections(self._markdown), key=lambda each: (each.start, -each.end))
        return [_Section(0, len(self._data) + 1), *found]

    def _fits(self, section: _Section) -> bool:
        return self._count(self._text(section)) <= self._room

    def _part(self, section: _Section, chunk: Chunk) -> _Section:
        """Return the part of an overlong section that has the most text around the chunk."""
        if section not in self._parts:
            self._parts[section] = list(self._cut(section))
        middle = (chunk.start + chunk.end) // 2
        return min(self._parts[section], key=lambda part: abs(part.start + part.end - 2 * middle))

    def _cut(self, section: _Section) -> list[_Section]:
        """Return parts of equal length, each beginning in the middle of the one before."""
        length = section.end - section.start
        while True:
            step = max(1, int(length / 2))
            parts = [
                _Section(start, min(start + 2 * step, section.end))
                for start in range(section.start, max(section.start + 1, section.end - step), step)
            ]
            if step == 1 or all(map(self._fits, parts)):
                return parts
            length = int(length * SHRINKING)

    def _text(self, section: _Section) -> str:
        return self._data[section.start : section.end].decode("utf-8", "ignore")

    def _count(self, text: str) -> int:
        return estimate(text, self._page.ref.language)


def _sections(markdown: str) -> Iterator[_Section]:
    """The sections of a text, each starting with its heading."""
    open_ones: list[tuple[int, int]] = []
    offset = 0
    for line, heading in marked_lines(markdown):
        if heading:
            level = len(heading[1])
            while open_ones and open_ones[-1][0] >= level:
                yield _Section(open_ones.pop()[1], offset)
            open_ones.append((level, offset))
        offset += len(line.encode())
    yield from (_Section(start, offset) for _, start in open_ones)
