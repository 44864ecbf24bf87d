"""From a question to ranked pages with passages.

Short questions (fewer than
``SHORT_WORDS`` words) are keyword searches for pages with all words. Else a preset without keyword arm lists
pages with any of them (labelled); else they are searched like any question (labelled). Other questions go to
every kNN arm of the preset and its keyword arm in one call; the candidates that qualify are kept and ranked,
and at the very end one page-store query drops what is deleted, excluded or not published, because the index
may be a moment behind.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Protocol

import structlog

from app.errors import (
    EmbedderUnavailableError,
    GenerationChangedError,
    IndexUnavailableError,
    PluginError,
    SettingsError,
)
from app.presets import KeywordMode, Preset, Thresholds
from app.search import analysis
from app.search.fusion import RANKINGS, Scored, cosine, ranked
from app.search.index import SearchIndex
from app.search.live import live_generation
from app.search.passages import around_hits, best_chunk, whole_page
from app.search.scope import ALL_PAGES, Results, SearchScope
from app.search.types import (
    ANY_TIME,
    Candidate,
    Degradation,
    Generation,
    Highlight,
    Hit,
    IndexedPage,
    Passage,
    QuerySpec,
    Retrieval,
    RetrievalMode,
    TimeFilter,
)
from ingest.protocols import Embedder
from ingest.types import PageRef

SHORT_WORDS: Final = 3
KEYWORD_HITS: Final = 5
LISTED_LANGUAGES: Final = ("de", "en", "fr")
"""Languages with a stop-word list, among which a question's language is guessed."""


Passages = Callable[[Candidate], tuple[Passage, ...]]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    question: str
    words: tuple[str, ...]
    keywords: tuple[str, ...]
    sources: frozenset[str]
    limit: int
    language: str | None
    time: TimeFilter
    scope: SearchScope

    @property
    def all_words(self) -> tuple[str, ...]:
        """The question's words and the other words for what it asks."""
        return tuple(dict.fromkeys((*self.words, *self.keywords)))

    def found(
        self,
        mode: RetrievalMode,
        hits: tuple[Hit, ...],
        degraded: tuple[Degradation, ...] = (),
        keyword_hits: tuple[Hit, ...] = (),
    ) -> Retrieval:
        """What was found for the question."""
        return Retrieval(
            question=self.question,
            mode=mode,
            degraded=degraded,
            hits=hits,
            keyword_hits=keyword_hits,
            time=self.time,
        )


class Visibility(Protocol):
    """The part of the page store that retrieval needs."""

    def hidden(self, refs: Sequence[PageRef], now: datetime) -> set[PageRef]:
        """Those that must not be shown at ``now``."""
        ...


class Retriever:
    """Answers one question with pages; holds no state between questions."""

    def __init__(
        self,
        *,
        index: SearchIndex,
        visibility: Visibility,
        embedder_of: Callable[[Generation], Embedder],
        preset: Preset,
        owner: str = "",
    ) -> None:
        """``owner``: the page store whose pages the index must hold."""
        self._index = index
        self._visibility = visibility
        self._embedder_of = embedder_of
        self._preset = preset
        self._owner = owner

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
        scope: SearchScope = ALL_PAGES,
    ) -> Retrieval:
        """Search ``sources`` for ``question``; at most ``limit`` pages (the preset's limit by default).

        ``keywords``: other words for what is asked, for the keyword arm. ``time``: which time is asked
        for, which ``scope`` narrows the search to. Raises ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``.
        """
        language = language or analysis.question_language(question, LISTED_LANGUAGES)
        asked = _Asked(
            question=question,
            words=analysis.content_words(question, language or ""),
            keywords=analysis.content_words(" ".join(keywords), language or "") if keywords else (),
            sources=sources,
            limit=limit or self._preset.question.limit,
            language=language,
            time=time,
            scope=scope,
        )
        if len(analysis.words(question)) >= SHORT_WORDS:
            return self._by_meaning(asked)
        live_generation(self._index, self._owner)
        return self._by_keywords(asked)

    def similarity(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """How near a question is in meaning to each of some texts: 1 the same, 0 unrelated. ``None`` without
        index or embedder."""
        try:
            generation = live_generation(self._index, self._owner)
            thresholds = self._preset.thresholds(generation.recipe.embedder)
            embedder = self._embedder_of(generation)
            vector = embedder.embed_query(question)
            cosines = [float(embedder.embed_query(text) @ vector) for text in texts]
        except (EmbedderUnavailableError, IndexUnavailableError, PluginError, SettingsError) as error:
            log.warning("similarity_unknown", message=str(error))
            return None
        return [thresholds.relevance(cosine) for cosine in cosines]

    def highlights(self, retrieval: Retrieval, language: str | None = None) -> dict[PageRef, list[Highlight]]:
        """Pieces of the hits' content with the question's words. Raises ``IndexUnavailableError``."""
        refs = [hit.page.ref for hit in retrieval.hits]
        language = language or analysis.question_language(retrieval.question, LISTED_LANGUAGES)
        return self._index.highlights(refs, analysis.content_words(retrieval.question, language or ""))

    def _by_keywords(self, asked: _Asked) -> Retrieval:
        def whole(candidate: Candidate) -> tuple[Passage, ...]:
            return whole_page(candidate.page)

        if found := self._keyword_hits(asked, "all", whole):
            return asked.found("keyword", found)
        # A preset with a keyword arm weighs single words against meaning; one without can only list them.
        if self._preset.question.keyword == "none" and (found := self._keyword_hits(asked, "any", whole)):
            labels: tuple[Degradation, ...] = ("keyword_any_word",)
            return asked.found("keyword", found, labels)
        return self._by_meaning(asked, ("keyword_no_match",))

    def _by_meaning(self, asked: _Asked, degraded: tuple[Degradation, ...] = ()) -> Retrieval:
        """With the live generation; with the next one where it is replaced in between."""
        while True:
            with suppress(GenerationChangedError):
                return self._by_meaning_in(live_generation(self._index, self._owner), asked, degraded)

    def _by_meaning_in(
        self, generation: Generation, asked: _Asked, degraded: tuple[Degradation, ...]
    ) -> Retrieval:
        preset = self._preset.question
        try:
            thresholds = self._preset.thresholds(generation.recipe.embedder)
            vector = self._embedder_of(generation).embed_query(asked.question)
        except (EmbedderUnavailableError, PluginError, SettingsError) as error:
            log.warning("embedder_unavailable", message=str(error))
            return self._without_embedder(asked, degraded)

        def passages(candidate: Candidate) -> tuple[Passage, ...]:
            return around_hits(candidate, thresholds, preset.expansion_chunks)

        spec = QuerySpec(
            words=asked.all_words,
            sources=asked.sources,
            vector=vector,
            k=preset.k,
            keyword=preset.keyword,
            similarity=thresholds.by_field(preset.k) if preset.cut_in_index else {},
            generation=generation.number,
            without=asked.scope.hidden,
        )
        candidates = self._visible(self._index.search(spec))
        kept = [c for c in candidates if self._qualifies(c, thresholds)]
        best = RANKINGS[preset.ranking](kept, thresholds)
        hits = _hits(best, asked, passages)
        hits = asked.scope.extend(
            hits,
            Results(
                question=asked.question,
                language=asked.language,
                limit=asked.limit,
                candidates=[candidate for _, candidate in best],
                pages=self.pages,
                near=lambda collections, k: self._near(spec, collections, k, thresholds),
            ),
        )
        offered = () if hits else self._keyword_hits(asked, "any", best_chunk)[:KEYWORD_HITS]
        found = asked.found("semantic", hits, degraded, offered)
        nearest = max(
            (hit.similarity.get("content", thresholds.base) for hit in hits), default=thresholds.base
        )
        return replace(found, relevance=thresholds.relevance(nearest))

    def _without_embedder(self, asked: _Asked, degraded: tuple[Degradation, ...]) -> Retrieval:
        labels: tuple[Degradation, ...] = tuple(
            "keyword_any_word" if label == "keyword_no_match" else label for label in degraded
        )
        found = self._keyword_hits(asked, "any", best_chunk)
        return asked.found("keyword", found, (*labels, "embedder_unavailable"))

    def _keyword_hits(self, asked: _Asked, keyword: KeywordMode, passages: Passages) -> tuple[Hit, ...]:
        if not asked.words:
            return ()
        spec = QuerySpec(
            words=asked.words if keyword == "all" else asked.all_words,
            sources=asked.sources,
            keyword=keyword,
            keyword_limit=2 * asked.limit,
            without=asked.scope.hidden,
        )
        best = ranked(self._visible(self._index.search(spec)), lambda candidate: candidate.coverage)
        return _hits(best, asked, passages)

    def _near(
        self, spec: QuerySpec, collections: frozenset[str], k: int, thresholds: Thresholds
    ) -> list[Scored]:
        """The ``k`` pages of ``collections`` whose content is nearest to the question, best first."""
        near = replace(spec, k={"content": k}, keyword="none", within=collections)
        found = self._visible(self._index.search(near)) if collections else []
        passing = [c for c in found if thresholds.passes("content", c.similarity["content"])]
        return cosine(passing, thresholds)

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """The pages among ``refs`` that may be shown now."""
        if not refs:
            return []
        hidden = self._hidden(refs)
        return self._index.pages([ref for ref in refs if ref not in hidden])

    def _qualifies(self, candidate: Candidate, thresholds: Thresholds) -> bool:
        if candidate.coverage >= self._preset.question.minimum_coverage:
            return True
        return any(thresholds.passes(field, cosine) for field, cosine in candidate.similarity.items())

    def _visible(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        refs = [candidate.page.ref for candidate in candidates]
        hidden = self._hidden(refs)
        return [candidate for candidate in candidates if candidate.page.ref not in hidden]

    def _hidden(self, refs: Sequence[PageRef]) -> set[PageRef]:
        return self._visibility.hidden(refs, datetime.now(UTC)) if refs else set()


def _hits(best: Sequence[Scored], asked: _Asked, passages: Passages) -> tuple[Hit, ...]:
    distinct = asked.scope.distinct(best, asked.language)[: asked.limit]
    return tuple(
        Hit(
            rank=rank,
            page=candidate.page,
            score=score,
            coverage=candidate.coverage,
            similarity=candidate.similarity,
            passages=passages(candidate),
            focus=next((chunk.start for chunk in candidate.chunks.get("content", ())), None),
            ended=asked.scope.ended(candidate.page),
        )
        for rank, (score, candidate) in enumerate(distinct, start=1)
    )
