"""The points and paragraphs of a provision, each below the names of act and article and its lead. Pure
functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.blocks import block_relevance, word_score
from app.search.coverage import QuestionWords
from app.search.page_blocks import ParsedBlock, parsed_blocks
from app.search.retrieval import NearChunk, Passage
from app.search.types import IndexedPage
from ingest.blocks import rows
from ingest.chunkers.context import context_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point of a provision. ``start``, ``end``: byte offsets in the content. ``text``: the point below its
    names and its lead. ``by_words``: its score by words (:func:`app.search.blocks.word_score`)."""

    start: int
    end: int
    text: str
    by_words: float


MOST_POINTS: Final = 12
"""The most points of a provision that are compared with the question, because each is embedded."""


def best_points(page: IndexedPage, near: Sequence[NearChunk], question: str, language: str) -> list[Point]:
    """Return at most ``MOST_POINTS`` points of the page, the best by its chunks and their words, in the
    page's order. ``near``: its chunks with their relevance. ``language``: the question's, empty if
    unknown."""
    points = _points(page, question, language)
    ranked = sorted(points, key=lambda point: -block_relevance(point, near) - point.by_words)[:MOST_POINTS]
    return sorted(ranked, key=lambda point: point.start)


def _points(page: IndexedPage, question: str, language: str) -> list[Point]:
    blocks, kinds = list(_blocks(page)), asked_kinds(question)
    words = QuestionWords(question, language, [(page.ref.language, block.words) for block in blocks])
    return [
        Point(
            start=block.passage.start,
            end=block.passage.end,
            text="\n".join(filter(None, (context_line((page.title, *block.headings)), block.text))),
            by_words=word_score(block, page.ref.language, words, kinds),
        )
        for block in blocks
    ]


def _blocks(page: IndexedPage) -> Iterator[ParsedBlock]:
    """Yield the blocks of the content, with each item of a list as a block of its own."""
    language = page.ref.language
    for block in parsed_blocks(page.fields.get("content", ""), "content", page.title, language):
        whole = block.passage
        for start, end in rows(whole.text, block.kind) if block.kind == "list" else [(0, len(whole.text))]:
            own = whole.text[start:end]
            first = whole.start + len(whole.text[:start].encode())
            passage = Passage(field=whole.field, start=first, end=first + len(own.encode()), text=own)
            text = "\n".join(filter(None, (block.before, own.strip())))
            words = frozenset(analysis.tokens(analysis.without_targets(text), language))
            yield replace(block, passage=passage, text=text, words=words)
