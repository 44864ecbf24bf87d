"""The text of a page with its chunks marked, a part at a time. Pure functions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.search.types import IndexedPage

PART_BYTES: Final = 30_000
"""Bytes of text in a part, so that a page of the console stays below 60 kB with its markup."""

WORD_BYTES: Final = 60
"""The longest word. Chunks are cut at bytes, but shown as if cut between words, unless words are longer."""

_BEGUN: Final = re.compile(rb"\S+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """A part of a page's content. ``pieces``: chunk numbers, from 1, or 0 for text in no chunk, each with the
    text. ``before``, ``after``: the bytes where the adjacent parts begin, ``None`` if there are none."""

    pieces: tuple[tuple[int, str], ...]
    before: int | None
    after: int | None


def part_of(page: IndexedPage, start: int = 0) -> TextPart:
    """Return the part of the page's content that begins at byte ``start``."""
    content = page.fields.get("content", "").encode()
    first = _character_at(content, min(max(start, 0), len(content)))
    last = _character_at(content, min(first + PART_BYTES, len(content)))
    pieces = tuple(
        (number, content[max(begin, first) : min(end, last)].decode(errors="replace"))
        for number, begin, end in _pieces(page, content)
        if begin < last and end > first
    )
    return TextPart(
        pieces=pieces,
        before=max(first - PART_BYTES, 0) if first else None,
        after=last if last < len(content) else None,
    )


def _pieces(page: IndexedPage, content: bytes) -> Iterator[tuple[int, int, int]]:
    """Cut the content at the words where its chunks begin and end. Yields the chunk's number and the piece's
    first byte and end."""
    end, length = 0, len(content)
    spans = ((_word_at(content, start), _word_at(content, stop)) for start, stop in page.content_spans)
    for number, (start, stop) in enumerate(spans, start=1):
        if start > end:
            yield 0, end, start
        yield number, max(start, end), stop
        end = max(end, stop)
    if end < length:
        yield 0, end, length


def _character_at(content: bytes, place: int) -> int:
    """The first byte of the character that the byte at ``place`` belongs to."""
    while 0 < place < len(content) and content[place] & 0xC0 == 0x80:
        place -= 1
    return place


def _word_at(content: bytes, place: int) -> int:
    """The first byte of the word that the byte at ``place`` belongs to; ``place`` in text without spaces."""
    if not 0 < place < len(content):
        return place
    begun = _BEGUN.search(content, max(place - WORD_BYTES, 0), place)
    goes_on = not content[place : place + 1].isspace()
    return begun.start() if begun and goes_on and begun.start() > place - WORD_BYTES else place
