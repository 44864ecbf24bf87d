"""The blocks of the found pages that answer a question, best first. Pure functions; nothing is embedded.

A block's score is the sum of

* its relevance: ``COMPARED_WEIGHT`` x its own if blocks were compared with the question
  (:mod:`app.search.block_comparison`), otherwise that of the chunks that it lies in, weighted by the bytes
  that they share;
* ``ANSWER_WEIGHT`` x its likelihood, if it was read and is at least ``LIKELY``
  (:mod:`app.search.block_reader`);
* ``COVERAGE_WEIGHT`` x the share of the question's word weight in the block, title and headings, and
  ``OWN_WEIGHT`` x that in the block alone (idf over the blocks of all pages found);
* ``KIND_WEIGHT`` x the share of the kinds of answer asked for that it has (:mod:`app.search.answer_kinds`);
* ``AGE_WEIGHT`` x the share of the ages in the question that its age limits include (:mod:`app.search.ages`);

minus

* ``RANK_WEIGHT`` for each page before its own (``COMPARED_RANK_WEIGHT`` if blocks were compared);
* ``NOTE_WEIGHT`` for a footnote, because it rarely answers, for a text that only says what the page is about,
  and for a list of links (the less, the more of the question's words it has);
* ``INTRODUCTION_WEIGHT`` for the block that begins a page.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Protocol

from app.search.ages import ages_stated, share_within
from app.search.answer_kinds import AnswerKind, asked_kinds, share_of_kinds
from app.search.block_reader import LIKELY
from app.search.coverage import QuestionWords
from app.search.page_blocks import PageBlocks, ParsedBlock, blocks_of
from app.search.retrieval import Hit, NearChunk, Passage
from app.search.types import IndexedPage
from ingest.blocks import Kind, Span
from ingest.types import FIELDS, FieldName, PageRef

COVERAGE_WEIGHT: Final = 0.2
OWN_WEIGHT: Final = 0.1
KIND_WEIGHT: Final = 0.2
AGE_WEIGHT: Final = 0.15
RANK_WEIGHT: Final = 0.05
COMPARED_WEIGHT: Final = 2.0
ANSWER_WEIGHT: Final = 0.15
COMPARED_RANK_WEIGHT: Final = 0.015
NOTE_WEIGHT: Final = 0.2
INTRODUCTION_WEIGHT: Final = 0.05
"""Measured on two websites (docs/quality.md); nearby values do as well."""

FAR_MARGIN: Final = 0.04
"""Chunks that the index did not return count as this much less relevant than the last near chunk."""

READ_CHARACTERS: Final = 200_000
"""Blocks beyond this position are ranked only if they overlap a near chunk. This limits the time."""

CACHED_QUESTIONS: Final = 16
CACHED_HITS: Final = 64
"""Enough for one or two questions, each of which asks for the same several times."""

Scores = tuple[float, float, float]
"""The ``score``, ``reader_score`` and ``chunk_score`` of a :class:`FoundBlock`."""


class Extent(Protocol):
    """A piece of a field between two byte offsets."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBlock:
    """A block of a page found. ``passage``: its own slice. ``before``: the lead or table header that belongs
    before it. ``headings``: those in force, the outermost first. ``spans``, ``wholes``, ``around``: see
    :class:`ingest.blocks.Block`, in characters of the field. ``reader_score``: the part of the score that
    comes from the reader. ``chunk_score``: the score as if no block had been compared."""

    page: IndexedPage
    kind: Kind
    passage: Passage
    before: str
    headings: tuple[str, ...]
    spans: tuple[Span, ...]
    wholes: tuple[Span, ...]
    around: Span
    score: float
    reader_score: float = 0.0
    chunk_score: float = 0.0

    @property
    def score_without_reader(self) -> float:
        """The score as if the reader had read no block."""
        return self.score - self.reader_score

    @property
    def markdown(self) -> str:
        """The block with the lead or table header before it."""
        return "\n".join(filter(None, (self.before, self.passage.text.strip("\n"))))

    @property
    def section(self) -> tuple[tuple[str, ...], FieldName, PageRef]:
        """Headings, field and page. Blocks that have these in common belong together."""
        return self.headings, self.passage.field, self.page.ref


def ranked_blocks(
    question: str, asked: str, language: str, hits: Sequence[Hit], most: int | None = None
) -> list[FoundBlock]:
    """Return the blocks of the hits, best first; all, or the first ``most``.

    ``question``: the text searched for, which may contain earlier questions. ``asked``: the latest question
    alone, which shows the kind of answer wanted. ``language``: of both.
    """
    ranked = [
        (score, hit, parsed)
        for hit, blocks, scores in _scored(question, asked, language, hits)
        for score, parsed in zip(scores, blocks, strict=True)
    ]
    ranked.sort(key=lambda each: -each[0][0])
    return [_found(hit, parsed, *score) for score, hit, parsed in ranked[:most]]


def best_scores(question: str, language: str, hits: Sequence[Hit]) -> list[float]:
    """Return the score of each hit's best block as if every page had rank 1; 0 without blocks."""
    first = [replace(hit, rank=1) for hit in hits]
    return [
        max((score for score, *_ in scores), default=0.0)
        for _, _, scores in _scored(question, question, language, first)
    ]


def _scored(
    question: str, asked: str, language: str, hits: Sequence[Hit]
) -> Iterator[tuple[Hit, Sequence[ParsedBlock], Iterator[Scores]]]:
    """Yield each hit with its blocks and their scores."""
    pages = list(map(_read, hits))
    by_words = _word_scores(question, asked, language, tuple(sorted(pages, key=id)))
    least = min((each.relevance for hit in hits for each in hit.compared_blocks), default=None)
    for hit, page in zip(hits, pages, strict=True):
        yield hit, page.blocks, _scores(hit, page, by_words[page], least)


def _scores(hit: Hit, page: PageBlocks, by_words: Sequence[float], least: float | None) -> Iterator[Scores]:
    """Yield the scores of each block of a hit. ``least``: the lowest relevance of any block that was
    compared, if there is one."""
    before = max(hit.rank - 1, 0)
    compared = {(each.field, each.start): each.relevance for each in hit.compared_blocks}
    relevances = _relevances(page, hit.near_chunks, tuple(hit.field_relevances.items()))
    for parsed, relevance, own in zip(page.blocks, relevances, by_words, strict=True):
        place = parsed.passage.field, parsed.passage.start
        likely = hit.likelihoods.get(place, 0.0)
        by_reader = ANSWER_WEIGHT * likely if likely >= LIKELY else 0.0
        by_chunks = relevance + own - RANK_WEIGHT * before
        if least is None:
            yield by_chunks + by_reader, by_reader, by_chunks
            continue
        meaning = compared.get(place, min(relevance, least))
        yield (
            COMPARED_WEIGHT * meaning + by_reader + own - COMPARED_RANK_WEIGHT * before,
            by_reader,
            by_chunks,
        )


def for_model(ranked: Sequence[FoundBlock]) -> list[FoundBlock]:
    """Return the blocks for a language model: alternately the next by rank and the next by ``chunk_score``,
    because only a few blocks of a long page are compared, and the model reads many."""
    others = sorted(ranked, key=lambda block: -block.chunk_score)
    in_turn = (block for pair in zip(ranked, others, strict=True) for block in pair)
    return list({id(block): block for block in in_turn}.values())


@lru_cache(maxsize=CACHED_QUESTIONS)
def _word_scores(
    question: str, asked: str, language: str, pages: tuple[PageBlocks, ...]
) -> Mapping[PageBlocks, tuple[float, ...]]:
    """Return the part of each block's score that depends on its words. Cached, because a question's blocks
    are ranked several times: before and after some are compared, and for the answer. Pages change their order
    meanwhile, so callers sort ``pages``."""
    kinds, ages = asked_kinds(asked), ages_stated(question)
    found = [(page.language, parsed.words) for page in pages for parsed in page.blocks]
    words = QuestionWords(question, language, found)
    return {
        page: tuple(
            word_score(parsed, page.language, words, kinds)
            + AGE_WEIGHT * share_within(ages, parsed.text)
            - _malus(parsed, page, kinds)
            for parsed in page.blocks
        )
        for page in pages
    }


def word_score(
    parsed: ParsedBlock, language: str, words: QuestionWords, kinds: tuple[AnswerKind, ...]
) -> float:
    """Return the score of a block in ``language`` by its words: at most the sum of the weights of coverage,
    own words and kind; less for a list of links."""
    heading, own = "".join(parsed.headings[-1:]), words.among(language, parsed.words)
    return (
        COVERAGE_WEIGHT * words.share(own | words.among(language, parsed.above))
        + OWN_WEIGHT * words.share(own)
        + KIND_WEIGHT * share_of_kinds(kinds, parsed.text, heading)
        - NOTE_WEIGHT * parsed.is_links * (1 - words.share(own))
    )


def in_page_order(block: FoundBlock) -> tuple[int, int]:
    """Return a sort key for blocks of one page: by field, then by position."""
    return FIELDS.index(block.passage.field), block.passage.start


def block_relevance(block: Extent, near: Sequence[NearChunk]) -> float:
    """Return the relevance of the chunks that the block lies in, weighted by the bytes that they share. Parts
    that no near chunk covers count ``FAR_MARGIN`` less than the last one. 0 if meaning was not searched."""
    if not near:
        return 0.0
    far = _far(near)
    start, end = block.start, block.end
    more = math.fsum(
        [
            (min(end, chunk.end) - max(start, chunk.start)) * (chunk.relevance - far)
            for chunk in near
            if chunk.start < end and start < chunk.end
        ]
    )
    return far + more / max(end - start, 1)


def _far(near: Sequence[NearChunk]) -> float:
    return near[-1].relevance - FAR_MARGIN if near else 0.0


@lru_cache(maxsize=CACHED_HITS)
def _relevances(
    page: PageBlocks, near: tuple[NearChunk, ...], field_relevances: tuple[tuple[FieldName, float], ...]
) -> Sequence[float]:
    """Return the relevance of each block. Outside the content it is that of the field, but at least that of
    content that no near chunk covers."""
    far, known = _far(near), dict(field_relevances)
    return [
        block_relevance(block, near) if block.field == "content" else max(known.get(block.field, far), far)
        for block in (parsed.passage for parsed in page.blocks)
    ]


def _malus(parsed: ParsedBlock, page: PageBlocks, kinds: tuple[AnswerKind, ...]) -> float:
    """Return the amount to subtract for a footnote, a summary or an introduction."""
    if parsed.kind == "note" or _is_summary(parsed, page, kinds):
        return NOTE_WEIGHT
    return INTRODUCTION_WEIGHT if _is_introduction(parsed, page, kinds) else 0.0


def _is_summary(parsed: ParsedBlock, page: PageBlocks, kinds: tuple[AnswerKind, ...]) -> bool:
    """Return True for another field than the content that lacks the kind of answer asked for, such as an
    amount. It says what the page is about, and so has more of the question's words than the answer."""
    is_beside = parsed.passage.field != "content" and page.has_content
    return is_beside and not share_of_kinds(kinds, parsed.passage.text)


def _is_introduction(parsed: ParsedBlock, page: PageBlocks, kinds: tuple[AnswerKind, ...]) -> bool:
    """Return True for the first block of a page, before its first section, that lacks the kind of answer
    asked for. It has the subject's words, but the answer comes after it."""
    if parsed is not page.blocks[0] or share_of_kinds(kinds, parsed.passage.text):
        return False
    above = parsed.headings
    content = [each.headings for each in page.blocks if each.passage.field == "content"]
    return {each[: len(above)] for each in content} == {above} and any(each != above for each in content)


def _found(
    hit: Hit, parsed: ParsedBlock, score: float, reader_score: float, chunk_score: float
) -> FoundBlock:
    return FoundBlock(
        page=hit.page,
        kind=parsed.kind,
        passage=parsed.passage,
        before=parsed.before,
        headings=parsed.headings,
        spans=parsed.spans,
        wholes=parsed.wholes,
        around=parsed.around,
        score=score,
        reader_score=reader_score,
        chunk_score=chunk_score,
    )


def _read(hit: Hit) -> PageBlocks:
    """Return the blocks of a page; of a long page only those before ``READ_CHARACTERS`` or near the
    question."""
    found = blocks_of(hit.page)
    if len(hit.page.fields.get("content", "")) <= READ_CHARACTERS:
        return found
    return _near(found, hit.near_chunks)


@lru_cache(maxsize=CACHED_QUESTIONS)
def _near(page: PageBlocks, near: tuple[NearChunk, ...]) -> PageBlocks:
    read = [
        parsed
        for parsed in page.blocks
        if (passage := parsed.passage).field != "content"
        or passage.end <= READ_CHARACTERS
        or any(passage.start < chunk.end and chunk.start < passage.end for chunk in near)
    ]
    return replace(page, blocks=read)
