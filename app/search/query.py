"""A question as the search sees it: its vector, its queries to the index, and the hits it gets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.presets import KeywordMode, QuestionPreset, Thresholds
from app.search import analysis, dictionary
from app.search.filters import Filters
from app.search.fusion import Scored
from app.search.retrieval import Degradation, Hit, NearChunk, Passage, Retrieval, RetrievalMode, TimeFilter
from app.search.scope import SearchScope
from app.search.types import Candidate, Generation, IndexedPage, QuerySpec
from ingest.protocols import Embedder, QuestionTurner
from ingest.types import FieldName, PageRef, Vectors

KEYWORD_PAGES: Final = 20
"""The least number of pages that the keyword arm returns when it is combined with kNN arms."""

Passages = Callable[[Candidate], tuple[Passage, ...]]
"""Chooses the passages of a page that go to the model or the visitor."""


def knows_meaning(embedder: str) -> bool:
    """Return False for the embedder that compares letters (``hashing``), True for every other name."""
    return embedder != "hashing"


def has_meaning(generation: Generation) -> bool:
    """Return True if the generation's vectors represent meaning: only then are blocks compared and read."""
    return knows_meaning(str(generation.recipe.embedder["name"]))


def towards_passages(question: Vectors, embedder: Embedder) -> Vectors:
    """Return the vector to compare passages with, from a question's vector; both of shape ``(dims,)``.

    It is the same unless the embedder has learned to turn it. Two questions are compared by their unturned
    vectors.
    """
    return embedder.towards_passages(question) if isinstance(embedder, QuestionTurner) else question


def passage_query(question: str, embedder: Embedder) -> Vectors:
    """Embed a question as a vector to compare passages with, shape ``(dims,)``. Raises
    ``EmbedderUnavailableError``."""
    return towards_passages(embedder.embed_query(question), embedder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A question's ``vector``, shape ``(dims,)``, with the ``embedder`` that made it and the ``thresholds``
    for its cosines."""

    vector: Vectors
    embedder: Embedder
    thresholds: Thresholds

    @property
    def towards_passages(self) -> Vectors:
        """The vector that pages and blocks are compared with, ``(dims,)``."""
        return towards_passages(self.vector, self.embedder)

    def of(self, text: str) -> "Meaning":
        """Return the meaning of another text as a question. Raises ``EmbedderUnavailableError``."""
        vector = self.embedder.embed_query(text)
        return Meaning(vector=vector, embedder=self.embedder, thresholds=self.thresholds)

    def relevance(self, vector: Vectors) -> float:
        """Return the relevance of a vector to this question (:meth:`app.presets.Thresholds.relevance`)."""
        return self.thresholds.relevance(float(vector @ self.vector))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question and the limits of its search.

    ``words``: its content words, with compounds split. ``unknown``: its content words that no page has.
    ``keywords``: other words for the same thing. ``limit``: the most pages wanted.
    """

    question: str
    words: tuple[str, ...]
    keywords: tuple[str, ...]
    sources: frozenset[str]
    limit: int
    language: str | None
    time: TimeFilter
    filters: Filters
    scope: SearchScope
    unknown: tuple[str, ...] = ()

    @property
    def all_words(self) -> tuple[str, ...]:
        """The question's words and its keywords, each once."""
        return tuple(dict.fromkeys((*self.words, *self.keywords)))

    def is_title_of(self, page: IndexedPage) -> bool:
        """Return True if the page's title has all words of the question."""
        language = page.ref.language
        title, own = set(analysis.tokens(page.title, language)), self.language or language
        return all(not title.isdisjoint(dictionary.forms(word, own, language)) for word in self.words)

    def keyword_spec(self, mode: KeywordMode) -> QuerySpec:
        """Return the search for pages with all words of the question (``all``), or with any of its words and
        keywords."""
        return QuerySpec(
            words=self.words if mode == "all" else self.all_words,
            sources=self.sources,
            keyword=mode,
            keyword_limit=2 * self.limit,
            without=self.scope.hidden,
            filters=self.filters,
        )

    def semantic_spec(
        self, vector: Vectors, generation: int, preset: QuestionPreset, thresholds: Thresholds
    ) -> QuerySpec:
        """Return the search by every arm of the preset. ``vector``: the question's, by the generation's
        embedder.

        Each arm returns at least ``limit`` pages, except an arm with k = 1, which still returns only the
        nearest page.
        """
        k = {name: pages if pages == 1 else max(pages, self.limit) for name, pages in preset.k.items()}
        return QuerySpec(
            words=self.all_words,
            sources=self.sources,
            vector=vector,
            k=k,
            keyword=preset.keyword,
            keyword_limit=max(KEYWORD_PAGES, self.limit),
            similarity=thresholds.by_field(k) if preset.cut_in_index else {},
            generation=generation,
            without=self.scope.hidden,
            filters=self.filters,
        )

    def distinct(self, ranked: Sequence[Scored]) -> Sequence[Scored]:
        """Return the pages, best first, without those that repeat a better one."""
        return self.scope.distinct(ranked, self.language)

    def hits(
        self, ranked: Sequence[Scored], passages: Passages, thresholds: Thresholds | None = None
    ) -> tuple[Hit, ...]:
        """Return hits for the first ``limit`` of distinct pages. ``thresholds``: for the cosines, if meaning
        was searched."""
        return tuple(
            Hit(
                rank=rank,
                page=candidate.page,
                score=score,
                coverage=candidate.coverage,
                similarity=candidate.similarity,
                passages=passages(candidate),
                contexts=_contexts(candidate),
                near_chunks=near_chunks(candidate, thresholds) if thresholds else (),
                field_relevances=beside_content(candidate, thresholds) if thresholds else {},
                ended=self.scope.ended(candidate.page),
            )
            for rank, (score, candidate) in enumerate(ranked[: self.limit], start=1)
        )

    def result(
        self,
        mode: RetrievalMode,
        hits: tuple[Hit, ...],
        degraded: tuple[Degradation, ...] = (),
        keyword_hits: tuple[Hit, ...] = (),
        relevance: float | None = None,
    ) -> Retrieval:
        """Return the result for this question."""
        return Retrieval(
            question=self.question,
            mode=mode,
            degraded=degraded,
            hits=hits,
            keyword_hits=keyword_hits,
            time=self.time,
            filters=self.filters,
            relevance=relevance,
        )


def qualifies(
    candidate: Candidate, preset: QuestionPreset, thresholds: Thresholds, *, is_foreign: bool
) -> bool:
    """Return True if the page is to be ranked: it has enough of the words, or a field reaches its threshold.

    ``is_foreign``: no page found is in the question's language, so all are farther from it. If the best
    page's score is judged afterwards (``Thresholds.answer``), all thresholds are then lowered by the distance
    between the content's and the cosine of unrelated text.
    """
    if candidate.coverage >= preset.minimum_coverage:
        return True
    foreign_bonus = thresholds.content - thresholds.base if is_foreign and thresholds.answer else 0.0
    return any(
        thresholds.passes(field, cosine + foreign_bonus) for field, cosine in candidate.similarity.items()
    )


def near_chunks(candidate: Candidate, thresholds: Thresholds) -> tuple[NearChunk, ...]:
    language_gain = candidate.added.get("content", 0.0)
    return tuple(
        NearChunk(
            start=chunk.start, end=chunk.end, relevance=thresholds.relevance(chunk.cosine + language_gain)
        )
        for chunk in candidate.chunks.get("content", ())
    )


def beside_content(candidate: Candidate, thresholds: Thresholds) -> dict[FieldName, float]:
    """Return the relevance of each field other than the content that was compared with the question. Such
    fields are short and thus nearer to any question, so the difference between their thresholds and the
    content's is subtracted."""
    return {
        name: thresholds.relevance(
            hits[0].cosine + candidate.added.get(name, 0.0) - thresholds.nearer_than_content(name)
        )
        for name, hits in candidate.chunks.items()
        if name != "content"
    }


def best_relevance(hits: Sequence[Hit], thresholds: Thresholds) -> float:
    """Return the relevance of the hit with the nearest content; 0 without hits."""
    cosines = (hit.similarity.get("content", thresholds.base) for hit in hits)
    return thresholds.relevance(max(cosines, default=thresholds.base))


def without_cosine(hits: Sequence[Hit]) -> list[PageRef]:
    """Return the pages among the hits and those linked to them whose cosine is unknown."""
    return list({each.page.ref for hit in hits for each in (hit, *hit.linked) if not each.similarity})


def with_cosines(hits: Sequence[Hit], cosines: Mapping[PageRef, float]) -> tuple[Hit, ...]:
    """Return the hits, and the hits linked to them, with the given cosines of their content filled in."""

    def completed(hit: Hit) -> Hit:
        linked = tuple(map(completed, hit.linked))
        if hit.similarity or hit.page.ref not in cosines:
            return replace(hit, linked=linked)
        return replace(hit, similarity={"content": cosines[hit.page.ref]}, linked=linked)

    return tuple(map(completed, hits))


def _contexts(candidate: Candidate) -> tuple[str, ...]:
    """Return the sentences that a model wrote to place the candidate's chunks, in the text's order, each
    once."""
    hits = sorted(candidate.chunks.get("content", ()), key=lambda hit: hit.start)
    return tuple(dict.fromkeys(hit.context for hit in hits if hit.context))
