"""Measures how often the first chunks lack the answer, for several ways to rank them.

After "Introducing Contextual Retrieval" (Anthropic, 2024), which reports 1 - recall@20: here the share of
questions whose gold answer is not in the first 5, 10 or 20 chunks together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.words import markdown_words
from app.indexing.progress import Progress, Show
from app.search import analysis
from app.search.chunk_ranking import ScoredChunk, as_pages, fused, passages_of
from app.search.index import SearchIndex
from app.search.languages import question_language
from app.search.query import passage_query
from app.search.reranking import reranked
from app.search.types import ChunkCandidate, QuerySpec
from ingest.protocols import Embedder, Reranker

DEPTHS: Final = (5, 10, 20)
CANDIDATES: Final = 150
"""The most chunks found by vectors, found by words, and reranked: so many each."""

Rank = Callable[[str, Sequence[ChunkCandidate]], Sequence[ScoredChunk]]
"""Ranks the chunks found for a question, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRanking:
    """A way to rank chunks, by its name in the table."""

    name: str
    rank: Rank


def by_vectors(_question: str, found: Sequence[ChunkCandidate]) -> Sequence[ScoredChunk]:
    """Rank only the chunks found by vectors."""
    return fused([chunk for chunk in found if chunk.near], words=0.0)


def by_words(_question: str, found: Sequence[ChunkCandidate]) -> Sequence[ScoredChunk]:
    """Rank only the chunks found by words."""
    return fused([replace(chunk, near=None) for chunk in found if chunk.matching], words=1.0)


def by_both(_question: str, found: Sequence[ChunkCandidate]) -> Sequence[ScoredChunk]:
    """Rank the chunks of both lists."""
    return fused(found, words=1.0)


def by_reranker(reranker: Reranker) -> Rank:
    """Rank the first chunks of both lists by the reranker's scores. Raises ``RerankerUnavailableError``."""

    def rank(question: str, found: Sequence[ChunkCandidate]) -> Sequence[ScoredChunk]:
        first = by_both(question, found)[:CANDIDATES]
        return reranked(question, first, reranker, text_of=attrgetter("text"))

    return rank


def chunk_misses(
    *,
    index: SearchIndex,
    embedder: Embedder,
    questions: Sequence[PoolQuestion],
    sources: frozenset[str],
    rankings: Sequence[ChunkRanking],
    show: Show,
) -> dict[str, dict[int, float]]:
    """Return, by ranking and depth, the share of questions whose answer is not in the first chunks.

    Only questions with the text of a gold answer count. Follow-ups do not, because they cannot be searched
    for on their own. Raises ``EmbedderUnavailableError`` and ``IndexUnavailableError``.
    """
    judged = [each for each in questions if each.has_text and not each.is_follow_up]
    missed = {ranking.name: dict.fromkeys(DEPTHS, 0) for ranking in rankings}
    for done, question in enumerate(judged, start=1):
        found = index.search_chunks(_spec(question, embedder, sources), CANDIDATES)
        for ranking in rankings:
            ranked = ranking.rank(question.question, found)
            for depth in DEPTHS:
                missed[ranking.name][depth] += not _holds(question, ranked[:depth])
        show(Progress(done=done, total=len(judged), unit="questions"))
    return {
        name: {depth: round(count / max(len(judged), 1), 3) for depth, count in counts.items()}
        for name, counts in missed.items()
    }


def _spec(question: PoolQuestion, embedder: Embedder, sources: frozenset[str]) -> QuerySpec:
    language = question.language or question_language(question.question)
    return QuerySpec(
        words=analysis.content_words(question.question, language or ""),
        sources=sources,
        vector=passage_query(question.question, embedder),
    )


def _holds(question: PoolQuestion, ranked: Sequence[ScoredChunk]) -> bool:
    """Return True if the chunks together contain the answer."""
    texts = (passage.text for _, page in as_pages(ranked, unrelated=0.0) for passage in passages_of(page))
    return question.is_in(markdown_words("\n\n".join(texts)))
