"""From a question to ranked pages with passages.

* Words that no page in scope has are corrected first (:mod:`app.search.spelling`).
* A short question (:func:`app.search.analysis.is_short`) becomes a keyword search for pages with all words.
  If there are none, a preset without a keyword arm lists pages with any of the words, and other presets
  search as for any question; both outcomes are labelled.
* Any other question goes to all kNN arms of the preset and to its keyword arm in one call. Candidates that
  qualify are ranked, and the first ones reranked if the preset says so.
* The page store decides which pages are shown, as the index may be a moment behind: deleted, excluded and
  unpublished ones are left out.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Final, Self, TypeVar

import structlog

from app.errors import (
    EmbedderUnavailableError,
    GenerationChangedError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
    SettingsError,
)
from app.presets import ChunksPreset, KeywordMode, Preset, Thresholds
from app.search import analysis
from app.search.absent_words import AbsentWords
from app.search.block_comparison import BlockComparison
from app.search.certainty import Answerability
from app.search.chunk_ranking import as_pages, fused, passages_of
from app.search.examples import OffTopic, Texts, cosines
from app.search.filters import Filters
from app.search.fusion import RANKINGS, Scored, is_foreign, levelled, ranked
from app.search.index import SearchIndex, live_generation
from app.search.languages import question_language
from app.search.passages import around_hits, best_chunk, whole_page
from app.search.query import (
    Meaning,
    Passages,
    Query,
    best_relevance,
    has_meaning,
    qualifies,
    with_cosines,
    without_cosine,
)
from app.search.recorder import (
    CandidatesFound,
    ChunksRanked,
    PagesMatched,
    PagesRanked,
    QuestionEmbedded,
    SearchBegun,
    SearchEnded,
    record,
)
from app.search.reranking import first_reranked, page_text
from app.search.retrieval import ANY_TIME, Degradation, EmbeddedQuestion, Hit, Passage, Retrieval, TimeFilter
from app.search.scope import ALL_PAGES, Results, SearchScope
from app.search.spelling import in_parts, with_compounds
from app.search.thesaurus import with_other_words
from app.search.translations import TermTable, with_translations
from app.search.types import Candidate, Generation, Highlight, IndexedPage, QuerySpec
from app.search.visibility import FixedVisibility, ShownWords, Visibility, hidden_now, shown_now
from app.search.written_language import in_words_of_pages
from ingest.protocols import Embedder, Reranker
from ingest.types import PageRef

KEYWORD_HITS: Final = 5
_NO_EMBEDDER: Final = (EmbedderUnavailableError, PluginError, SettingsError)

T = TypeVar("T")
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """``best``: all pages found, best first. ``chosen``: the distinct ones, reranked by some presets."""

    best: Sequence[Scored]
    chosen: Sequence[Scored]
    passages: Passages
    degraded: tuple[Degradation, ...]


class Retriever:
    """Finds the pages that answer a question; keeps no state between questions."""

    def __init__(
        self,
        *,
        index: SearchIndex,
        visibility: Visibility,
        embedder_of: Callable[[Generation], Embedder],
        preset: Preset,
        off_topic: OffTopic,
        reranker: Reranker,
        blocks: BlockComparison | None = None,
        terms: TermTable | None = None,
        owner: str = "",
    ) -> None:
        """``reranker``: used if the preset reranks. ``terms``: translations of words. ``owner``: the page
        store whose pages the index must contain."""
        self._index = index
        self._visibility = visibility
        self._embedder_of = embedder_of
        self._preset = preset
        self._answerability = Answerability(off_topic)
        self._blocks = blocks or BlockComparison(off_topic=off_topic)
        self._absent_words = AbsentWords(self._blocks)
        self._reranker = reranker
        self._terms = terms
        self._owner = owner

    def now(self) -> Self:
        """Return a retriever for one question, during which the visibility of a page does not change."""
        made = copy(self)
        made._visibility = FixedVisibility(self._visibility)
        return made

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
        scope: SearchScope = ALL_PAGES,
    ) -> Retrieval:
        """Search ``sources`` for ``question``; at most ``limit`` pages (the preset's limit by default).

        ``keywords``: other words for the same thing, for the keyword arm. ``time``: the period asked about;
        ``scope`` already narrows the search to it. ``filters`` do not change how words are corrected. Raises
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        language, asked = language or question_language(question), question
        known = ShownWords(self._index, self._visibility.hidden, sources, scope.hidden)
        question = in_words_of_pages(question, language, known)
        words = analysis.content_words(question, language or "")
        if filters:
            known = ShownWords(self._index, self._visibility.hidden, sources, scope.hidden, filters)
        counts = zip(words, known.frequencies(words), strict=True)
        unknown = tuple(word for word, pages in counts if not pages)
        words = with_other_words(in_parts(words, unknown, language, known), unknown, language, known)
        if is_short := analysis.is_short(question):
            words = with_compounds(words, language, partial(self._visibility.titles_like, sources), known)
        query = Query(
            question=question,
            words=words,
            unknown=unknown,
            keywords=analysis.content_words(" ".join(keywords), language or ""),
            sources=sources,
            limit=limit or self._preset.question.limit,
            language=language,
            time=time,
            filters=filters,
            scope=scope,
        )
        record(SearchBegun, asked=asked, query=query, preset=self._preset)
        found = self._by_keywords(query) if is_short else self._by_meaning(query)
        record(SearchEnded, retrieval=found)
        return found

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """Return the pages among ``refs`` that may be shown now."""
        hidden = hidden_now(self._visibility.hidden, refs)
        shown = [ref for ref in refs if ref not in hidden]
        return self._index.pages(shown) if shown else []

    def named_pages(self, sources: frozenset[str], ids: Collection[str]) -> list[IndexedPage]:
        """Return the pages of ``sources`` with these ids that may be shown now. Raises
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        return self.pages(self._visibility.with_ids(sources, ids)) if ids else []

    def all_pages(self, sources: frozenset[str], most: int) -> list[IndexedPage]:
        """Return every page of ``sources`` that may be shown now, ordered by reference; none if the index has
        more than ``most`` pages. Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        generation = live_generation(self._index, self._owner).number
        if self._index.count(generation) > most:
            return []
        return self.pages(sorted(ref for ref, _ in self._index.refs(generation) if ref.source in sources))

    def languages(self) -> list[str]:
        """Return the languages of all pages, the most frequent first. Raises ``IndexUnavailableError``."""
        return self._index.languages()

    def similarity(self, question: str, texts: Texts) -> list[float] | None:
        """Return the question's relevance to each of some texts: 1 the same, 0 unrelated. ``None`` without
        index or embedder, and until the examples are embedded."""
        try:
            embedder, thresholds = self._embedding(live_generation(self._index, self._owner))
            found = cosines(embedder.embed_query(question), texts, embedder)
        except (IndexUnavailableError, PageStoreUnavailableError, *_NO_EMBEDDER) as error:
            log.warning("similarity_unknown", message=str(error))
            return None
        return [thresholds.relevance(cosine) for cosine in found]

    def highlights(self, retrieval: Retrieval, language: str | None = None) -> dict[PageRef, list[Highlight]]:
        """Return fragments of the hits with the question's words. Raises ``IndexUnavailableError``."""
        refs = [hit.page.ref for hit in retrieval.hits]
        language = language or question_language(retrieval.question)
        return self._index.highlights(refs, analysis.content_words(retrieval.question, language or ""))

    def _by_keywords(self, query: Query) -> Retrieval:
        def whole(candidate: Candidate) -> tuple[Passage, ...]:
            return whole_page(candidate.page)

        live_generation(self._index, self._owner)
        if hits := self._keyword_hits(query, "all", whole):
            return query.result("keyword", self._compared(hits, query))
        # A preset with a keyword arm weighs single words against meaning; others can only list the pages.
        if self._preset.question.keyword == "none" and (hits := self._keyword_hits(query, "any", whole)):
            return query.result("keyword", hits, ("keyword_any_word",))
        return self._by_meaning(query, ("keyword_no_match",))

    def _compared(self, hits: tuple[Hit, ...], query: Query) -> tuple[Hit, ...]:
        """Add the relevance of their blocks to pages found by their words, if there is an embedder. Hits stay
        as they are if the best page's title has all words, because then it is the page that is meant."""
        if query.is_title_of(hits[0].page):
            return hits
        generation, preset = live_generation(self._index, self._owner), self._preset.question
        compares = preset.compared_blocks and has_meaning(generation)
        meaning = self._meaning(query, generation) if compares else None
        return self._blocks.ordered(hits, query, meaning, preset=preset, added={}) if meaning else hits

    def _meaning(self, query: Query, generation: Generation) -> Meaning | None:
        """The question embedded for the generation; ``None`` if that fails."""
        try:
            embedder, thresholds = self._embedding(generation)
            vector = embedder.embed_query(query.question)
        except _NO_EMBEDDER as error:
            log.warning("embedder_unavailable", message=str(error))
            return None
        return Meaning(vector=vector, embedder=embedder, thresholds=thresholds)

    def _by_meaning(self, query: Query, degraded: tuple[Degradation, ...] = ()) -> Retrieval:
        """Search the live generation; search again if it is replaced in between."""
        while True:
            with suppress(GenerationChangedError):
                return self._by_meaning_in(live_generation(self._index, self._owner), query, degraded)

    def _by_meaning_in(
        self, generation: Generation, query: Query, degraded: tuple[Degradation, ...]
    ) -> Retrieval:
        meaning = self._meaning(query, generation)
        if meaning is None:
            return self._without_embedder(query, degraded)
        vector, thresholds = meaning.towards_passages, meaning.thresholds
        record(QuestionEmbedded, generation=generation, thresholds=thresholds)
        preset = self._preset.question
        spec = query.semantic_spec(vector, generation.number, preset, thresholds)
        if preset.chunks:
            found = self._best_chunks(spec, query, preset.chunks, thresholds)
        else:
            found = self._best_pages(spec, query, thresholds)
        candidates = [candidate for _, candidate in found.best]
        knows = has_meaning(generation)
        compares = knows and bool(preset.compared_blocks)
        results = Results(
            question=query.question,
            language=query.language,
            limit=query.limit,
            candidates=candidates,
            pages=self.pages,
            hits=partial(query.hits, passages=found.passages, thresholds=thresholds),
            search=lambda spec: shown_now(self._visibility.hidden, self._index.search(spec)),
            spec=spec,
            meaning=meaning,
            blocks=self._blocks if compares else None,
        )
        hits = query.scope.extend(query.hits(found.chosen, found.passages, thresholds), results)
        relevance = best_relevance(hits, thresholds)
        if unknown := without_cosine(hits):
            hits = with_cosines(hits, self._index.cosines(unknown, vector, generation.number))
        foreign = is_foreign(candidates, query.language)
        absent_words: tuple[str, ...] = ()
        if compares:
            added = {each.page.ref: each.added.get("content", 0.0) for each in candidates}
            hits = self._blocks.ordered(hits, query, meaning, preset=preset, added=added)
            absent_words = () if foreign else self._absent_words.found(query, hits, meaning)
        elif knows:
            hits = self._blocks.with_likelihoods(hits, query, most=preset.read_blocks)
        offered = () if hits else self._keyword_hits(query, "any", best_chunk)[:KEYWORD_HITS]
        result = query.result("semantic", hits, (*degraded, *found.degraded), offered, relevance)
        score = found.best[0][0] if found.best else 0.0
        return replace(
            result,
            certainty=self._answerability.judge(score, meaning, hits, is_foreign=foreign),
            is_foreign=foreign,
            absent_words=absent_words,
            embedded=EmbeddedQuestion.of(vector, generation, thresholds),
        )

    def _best_pages(self, spec: QuerySpec, query: Query, thresholds: Thresholds) -> _Found:
        """Search for pages, rank those that qualify, and rerank the distinct ones."""
        preset, found = self._preset.question, self._index.search(spec)
        if preset.translate and self._terms:
            search, languages = self._index.search, self._index.languages()
            found = with_translations(found, spec, query.language, self._terms, search, languages=languages)
        found = shown_now(self._visibility.hidden, found)
        candidates, foreign = levelled(found, query.language), is_foreign(found, query.language)
        qualified = [each for each in candidates if qualifies(each, preset, thresholds, is_foreign=foreign)]
        record(CandidatesFound, spec=spec, candidates=candidates, qualified=qualified)
        best = RANKINGS[preset.ranking](qualified, thresholds)
        distinct = query.distinct(best)
        record(PagesRanked, best=best, distinct=distinct)
        chosen, degraded = self._reranked(query.question, distinct, page_text)
        passages = partial(
            around_hits,
            thresholds=thresholds,
            neighbours=preset.expansion_chunks,
            most_bytes=preset.page_bytes,
            searched=preset.k,
        )
        return _Found(best=best, chosen=chosen, passages=passages, degraded=degraded)

    def _best_chunks(self, spec: QuerySpec, query: Query, preset: ChunksPreset, known: Thresholds) -> _Found:
        """Return the pages of the best chunks, in the chunks' order. At least as many chunks are used as
        pages are asked for."""
        found = shown_now(self._visibility.hidden, self._index.search_chunks(spec, preset.candidates))
        ranked = fused(found, preset.words)
        record(ChunksRanked, spec=spec, chunks=ranked)
        chosen, degraded = self._reranked(query.question, ranked, attrgetter("text"))
        read = chosen[: max(preset.limit, query.limit)]
        best = as_pages(read, known.base, with_contexts=preset.contexts)
        distinct = query.distinct(best)
        record(PagesRanked, best=best, distinct=distinct)
        return _Found(best=best, chosen=distinct, passages=passages_of, degraded=degraded)

    def _reranked(
        self, question: str, found: Sequence[T], text_of: Callable[[T], str]
    ) -> tuple[Sequence[T], tuple[Degradation, ...]]:
        """Rerank the first results if the preset says so."""
        preset = self._preset.question.rerank
        if preset is None:
            return found, ()
        return first_reranked(question, found, preset=preset, reranker=self._reranker, text_of=text_of)

    def _without_embedder(self, query: Query, degraded: tuple[Degradation, ...]) -> Retrieval:
        labels: tuple[Degradation, ...] = tuple(
            "keyword_any_word" if label == "keyword_no_match" else label for label in degraded
        )
        hits = self._keyword_hits(query, "any", best_chunk)
        return query.result("keyword", hits, (*labels, "embedder_unavailable"))

    def _keyword_hits(self, query: Query, mode: KeywordMode, passages: Passages) -> tuple[Hit, ...]:
        if not query.words:
            return ()
        found = shown_now(self._visibility.hidden, self._index.search(spec := query.keyword_spec(mode)))
        hits = query.hits(query.distinct(ranked(found, lambda candidate: candidate.coverage)), passages)
        record(PagesMatched, mode=mode, spec=spec, candidates=found, hits=hits)
        return hits

    def _embedding(self, generation: Generation) -> tuple[Embedder, Thresholds]:
        """Return the generation's embedder, and the preset's thresholds for its cosines."""
        thresholds = self._preset.thresholds(generation.recipe.embedder)
        return self._embedder_of(generation), thresholds
