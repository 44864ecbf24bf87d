"""Ranks chunks, and turns them into candidates and passages of their pages. Pure functions.

As in "Introducing Contextual Retrieval" (Anthropic, 2024), the nearest chunks and those with the question's
words are merged by their ranks, and the best are used, whatever page they belong to.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.search.fusion import RECIPROCAL_RANK_K, Scored
from app.search.passages import merged_spans, slice_of
from app.search.retrieval import Passage
from app.search.types import Candidate, ChunkCandidate, ChunkHit
from ingest.types import PageRef

WORD_BYTES: Final = 60
"""The most by which a chunk is extended on either side so that it begins and ends with a whole word."""

_WORD_END: Final = re.compile(rb"(?<=\s)\S+\Z")
_WORD_START: Final = re.compile(rb"\S+(?=\s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredChunk:
    """A chunk with its score; higher is better."""

    score: float
    chunk: ChunkCandidate

    @property
    def text(self) -> str:
        """The chunk's title, context and text as Markdown, which a reranker scores."""
        page = self.chunk.page
        text = page.fields["content"].encode()[self.chunk.start : self.chunk.end].decode()
        return "\n\n".join(filter(None, [f"# {page.title}", self.chunk.context, text]))


def fused(chunks: Sequence[ChunkCandidate], words: float) -> list[ScoredChunk]:
    """Rank the chunks by reciprocal rank fusion (Cormack et al., 2009), with weight ``words`` for the list by
    words; best first, ties by page and position."""

    def score(chunk: ChunkCandidate) -> float:
        near = 1 / (RECIPROCAL_RANK_K + chunk.near) if chunk.near else 0.0
        return near + (words / (RECIPROCAL_RANK_K + chunk.matching) if chunk.matching else 0.0)

    scored = [ScoredChunk(score=score(chunk), chunk=chunk) for chunk in chunks]
    return sorted(scored, key=lambda each: (-each.score, each.chunk.page.ref, each.chunk.position))


def as_pages(ranked: Sequence[ScoredChunk], unrelated: float, *, with_contexts: bool = False) -> list[Scored]:
    """Return the chunks' pages in the order of their best chunks, each with its chunks.

    ``unrelated``: the cosine of unrelated text, used for a chunk found by words alone. ``with_contexts``:
    chunks keep the sentence that a model wrote to place them.
    """
    found: dict[PageRef, list[ScoredChunk]] = {}
    for each in ranked:
        found.setdefault(each.chunk.page.ref, []).append(each)
    return [
        (chunks[0].score, _candidate([each.chunk for each in chunks], unrelated, with_contexts))
        for chunks in found.values()
    ]


def passages_of(candidate: Candidate) -> tuple[Passage, ...]:
    """Return the candidate's chunks, extended to whole words, with touching ones merged."""
    data = candidate.page.fields["content"].encode()
    spans = (_whole_words(data, hit.start, hit.end) for hit in candidate.chunks["content"])
    return tuple(slice_of(candidate.page, "content", span) for span in merged_spans(spans))


def _candidate(chunks: Sequence[ChunkCandidate], unrelated: float, with_contexts: bool) -> Candidate:
    hits = tuple(
        ChunkHit(
            position=chunk.position,
            start=chunk.start,
            end=chunk.end,
            cosine=unrelated if chunk.cosine is None else chunk.cosine,
            context=chunk.context.partition("\n")[2] if with_contexts else "",  # below the context line
        )
        for chunk in chunks
    )
    return Candidate(
        page=chunks[0].page,
        chunks={"content": hits},
        near_fields=frozenset({"content"} if any(chunk.near for chunk in chunks) else ()),
        keyword=any(chunk.matching for chunk in chunks),
        coverage=0.0,
    )


def _whole_words(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Extend the span by the rest of the words at its ends."""
    first, last = data[start : start + 1], data[end - 1 : end]
    head = None if first.isspace() else _WORD_END.search(data, max(0, start - WORD_BYTES), start)
    tail = None if last.isspace() else _WORD_START.match(data, end, end + WORD_BYTES)
    return (head.start() if head else start), (tail.end() if tail else end)
