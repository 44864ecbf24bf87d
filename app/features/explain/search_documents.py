"""The JSON documents of the searches of a question."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Self

from app.api.page_documents import PageRefDocument
from app.document import Document, Moment, Rounded, rounded
from app.features.explain.search_trace import RankedPage, SearchTrace, words_missing
from app.presets import Thresholds
from app.search.chunk_ranking import ScoredChunk
from app.search.retrieval import Degradation, RetrievalMode
from app.search.translations import in_one
from app.search.types import Candidate, ChunkHit, IndexedPage
from ingest.types import FieldName

CHUNKS: Final = 3
"""The most chunks shown of each field of a page."""

EXCERPT_CHARACTERS: Final = 300


class TracedPageDocument(PageRefDocument):
    """A page that a step dealt with; subclasses add what the step did."""

    url: str
    title: str
    updated: Moment | None

    @classmethod
    def of(cls, page: IndexedPage, *objects: object, **values: Any) -> Self:
        """Describe a page, with what ``objects`` and ``values`` add to it."""
        return cls.from_objects(page.ref, page, *objects, **values)


class CorrectionDocument(Document):
    """A word that was spelt in another way, or taken apart."""

    word: str
    spelt: str
    compound: bool


class ChunkHitDocument(Document):
    """A chunk of a field."""

    position: int
    start: int
    end: int
    similarity: Rounded
    text: str


class FieldDocument(Document):
    """A field of a page, compared with the question."""

    similarity: Rounded
    added: Rounded
    relevance: Rounded | None
    threshold: float | None
    passed: bool | None
    chunks: list[ChunkHitDocument]

    @classmethod
    def of(cls, name: FieldName, candidate: Candidate, thresholds: Thresholds | None) -> Self:
        """Describe a field of a candidate."""
        chunks = candidate.chunks[name]
        cosine, added = chunks[0].cosine, candidate.added.get(name, 0.0)
        return cls(
            similarity=cosine,
            added=added,
            relevance=thresholds.relevance(cosine + added) if thresholds else None,
            threshold=getattr(thresholds, name) if thresholds else None,
            passed=thresholds.passes(name, cosine) if thresholds else None,
            chunks=_chunks(chunks[:CHUNKS], candidate.page.fields.get(name, "").encode()),
        )


class RankedPageDocument(TracedPageDocument):
    """A page that the index returned."""

    passed: bool
    place: int | None
    rank: int | None
    score: Rounded | None
    parts: dict[str, Rounded]
    ranks: dict[str, int]
    coverage: Rounded
    words_missing: list[str]
    fields: dict[str, FieldDocument]


class RankedChunkDocument(TracedPageDocument):
    """A chunk, if chunks are ranked instead of pages."""

    position: int
    start: int
    end: int
    score: Annotated[float, rounded(6)]
    similarity: Rounded | None
    ranks: dict[str, int]
    text: str


class MatchedPageDocument(TracedPageDocument):
    """A page with words of the question."""

    coverage: Rounded


class MatchedPagesDocument(Document):
    """A search by words."""

    mode: str
    words: list[str]
    pages: list[MatchedPageDocument]


class CertaintyDocument(Document):
    """The certainty that the pages found answer the question."""

    score: Rounded
    off_topic: Rounded | None
    threshold: float
    answers: Rounded | None
    certainty: str


class TracedSearchDocument(Document):
    """One search."""

    asked: str
    question: str
    language: str | None
    corrections: list[CorrectionDocument]
    words: list[str]
    translations: dict[str, list[str]]
    keywords: list[str]
    preset: str
    ranking: str
    generation: int | None
    mode: RetrievalMode | None
    degraded: list[Degradation]
    thresholds: dict[str, float] | None
    minimum_coverage: float
    limit: int
    arms: dict[str, int]
    pages: list[RankedPageDocument]
    chunks: list[RankedChunkDocument]
    by_words: list[MatchedPagesDocument]
    reranked: list[Rounded]
    certainty: CertaintyDocument | None

    @classmethod
    def of(cls, search: SearchTrace) -> Self:
        """Describe a search."""
        query, retrieval, question = search.query, search.retrieval, search.preset.question
        return cls.from_objects(
            query,
            asked=search.asked,
            corrections=[
                CorrectionDocument(word=each.word, spelt=each.spelt, compound=each.is_compound)
                for each in search.corrections
            ],
            translations={language: in_one(words) for language, words in search.translations.items()},
            preset=search.preset.name,
            ranking=question.ranking,
            generation=search.generation.number if search.generation else None,
            mode=retrieval.mode if retrieval else None,
            degraded=retrieval.degraded if retrieval else [],
            thresholds=search.thresholds.model_dump(exclude={"measured"}) if search.thresholds else None,
            minimum_coverage=question.minimum_coverage,
            arms=search.spec.k if search.spec else {},
            pages=[_ranked_page(page, search) for page in search.pages],
            chunks=list(map(_ranked_chunk, search.chunks)),
            by_words=[
                MatchedPagesDocument(
                    mode=matched.mode,
                    words=matched.spec.words,
                    pages=[
                        MatchedPageDocument.of(each.page, coverage=each.coverage)
                        for each in matched.candidates
                    ],
                )
                for matched in search.matched
            ],
            reranked=search.reranked,
            certainty=search.judged,
        )


def field_documents(candidate: Candidate, thresholds: Thresholds | None) -> dict[str, FieldDocument]:
    """Describe the fields of a candidate that have chunks, by name."""
    return {
        name: FieldDocument.of(name, candidate, thresholds)
        for name, chunks in candidate.chunks.items()
        if chunks
    }


def excerpt(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT_CHARACTERS else f"{line[:EXCERPT_CHARACTERS].rstrip()}…"


def _chunks(chunks: Sequence[ChunkHit], data: bytes) -> list[ChunkHitDocument]:
    return [
        ChunkHitDocument.from_objects(
            chunk,
            similarity=chunk.cosine,
            text=excerpt(data[chunk.start : chunk.end].decode(errors="ignore")),
        )
        for chunk in chunks
    ]


def _ranked_page(page: RankedPage, search: SearchTrace) -> RankedPageDocument:
    candidate = page.candidate
    return RankedPageDocument.of(
        candidate.page,
        page,
        passed=page.is_qualified,
        coverage=candidate.coverage,
        words_missing=words_missing(candidate.page, search.query.all_words, search),
        fields=field_documents(candidate, search.thresholds),
    )


def _ranked_chunk(scored: ScoredChunk) -> RankedChunkDocument:
    chunk = scored.chunk
    text = chunk.page.fields["content"].encode()[chunk.start : chunk.end].decode(errors="ignore")
    return RankedChunkDocument.of(
        chunk.page,
        chunk,
        score=scored.score,
        similarity=chunk.cosine,
        ranks={name: rank for name, rank in (("content", chunk.near), ("words", chunk.matching)) if rank},
        text=excerpt(text),
    )
