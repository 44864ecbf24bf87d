"""The pages of a search as people see them: each with its best block and a link that opens it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.chat.text.deep_links import passage_link, passage_path
from app.chat.text.plain_text import CELL_SEPARATOR, TextUnit, text_units
from app.chat.text.previews import ELLIPSIS, shortened_around
from app.search import analysis
from app.search.blocks import FoundBlock, ranked_blocks
from app.search.highlight import marks
from app.search.languages import question_language
from app.search.retrieval import Hit, Retrieval
from app.search.types import Highlight

SHOWN_CHARACTERS: Final = 500
"""About so much of a longer block is shown, in whole lines. Paragraphs are not longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLine(Highlight):
    """A sentence, a list item or a table's row of a block, as plain text, with the question's words marked.

    ``listed``: True for items and rows.
    """

    listed: bool

    @property
    def strings(self) -> list[str]:
        """The texts of the pieces; every second one is marked."""
        return [text for text, _ in self.pieces]

    @property
    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text cut where marks begin and end, each piece with True if it is marked."""
        offset = 0
        for start, end in self.marks:
            yield self.text[offset:start], False
            yield self.text[start:end], True
            offset = end
        yield self.text[offset:], False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A hit. ``href``: its URL, with a link to the block if possible. ``path``: the URL for people.
    ``heading``: the heading above the block, empty if it only repeats the page's title. ``lines``: the
    block's; empty for a page without text."""

    hit: Hit
    href: str
    path: str
    heading: str
    lines: tuple[BlockLine, ...]


def found_pages(retrieval: Retrieval, hits: Sequence[Hit]) -> list[FoundPage]:
    """Return these hits of the retrieval, each with its best block for the question; a text that the question
    only names, with its first block."""
    question = retrieval.question
    language = question_language(question) or ""
    ranked = ranked_blocks(question, question, language, hits)
    if retrieval.mode == "lookup":
        ranked.sort(key=lambda block: (block.passage.field != "content", block.passage.start))
    best = {block.page.ref: block for block in reversed(ranked)}
    words = analysis.content_words(question, language)
    return [_found(hit, best.get(hit.page.ref), words, language) for hit in hits]


def _found(hit: Hit, block: FoundBlock | None, words: Sequence[str], language: str) -> FoundPage:
    if block is None:
        return FoundPage(hit=hit, href=hit.page.url, path=passage_path(hit.page, ()), heading="", lines=())
    heading = block.headings[-1] if block.headings else ""
    return FoundPage(
        hit=hit,
        href=passage_link(hit.page, (block.passage,)),
        path=passage_path(hit.page, (block.passage,)),
        heading="" if heading == hit.page.title else heading,
        lines=block_lines(block.markdown, words, (language, hit.page.ref.language)),
    )


def marked_title(found: FoundPage, question: str) -> BlockLine:
    """Return the page's title with the question's words marked."""
    page, language = found.hit.page, question_language(question) or ""
    words = analysis.content_words(question, language)
    return BlockLine(
        text=page.title, marks=marks(page.title, words, (language, page.ref.language)), listed=False
    )


def block_lines(markdown: str, words: Sequence[str], languages: Sequence[str]) -> tuple[BlockLine, ...]:
    """Return a block's lines with the words marked. Of a long block, return the line with most of them, the
    list's lead and the lines around it, with ``…`` for omitted ones."""
    lines = [_marked(text, listed, words, languages) for text, listed in _texts(markdown)]
    if sum(len(line.text) for line in lines) <= SHOWN_CHARACTERS:
        return tuple(lines)
    return tuple(_around_best(lines))


def _texts(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines, each with True if it is an item or row. A row of a table names its columns."""
    header: Sequence[str] = ()
    for unit in text_units(markdown):
        if unit.is_header:
            header = unit.cells
        else:
            yield _row(unit, header) if unit.cells else unit.text, unit.listed


def _row(row: TextUnit, header: Sequence[str]) -> str:
    named = zip(row.cells, header, strict=False)
    cells = (f"{name}: {cell}" if name else cell for cell, name in named if cell)
    return CELL_SEPARATOR.join(cells) or row.text


def _marked(text: str, listed: bool, words: Sequence[str], languages: Sequence[str]) -> BlockLine:
    shown = shortened_around(text, words, languages[-1])
    return BlockLine(text=shown, marks=marks(shown, words, languages), listed=listed)


def _around_best(lines: Sequence[BlockLine]) -> Iterator[BlockLine]:
    """Yield the list's lead, and the line with most of the words with as many after and before it as fit."""
    best = max(range(len(lines)), key=lambda number: _marked_words(lines[number]))
    start, end, room = best, best + 1, SHOWN_CHARACTERS - len(lines[best].text)
    while end < len(lines) and len(lines[end].text) <= room:
        room -= len(lines[end].text)
        end += 1
    while start > 0 and len(lines[start - 1].text) <= room:
        start -= 1
        room -= len(lines[start].text)
    gap = BlockLine(text=ELLIPSIS, marks=(), listed=lines[best].listed)
    leads = int(lines[best].listed and not lines[0].listed)
    if start > 0:
        yield from lines[:leads]
    if start > leads:
        yield gap
    yield from lines[start:end]
    if end < len(lines):
        yield gap


def _marked_words(line: BlockLine) -> int:
    return len({line.text[start:end].casefold() for start, end in line.marks})
