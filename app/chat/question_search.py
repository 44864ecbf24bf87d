"""Searches the pages for a question in a conversation: rephrased by the model, and as it was asked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final, Protocol

import structlog

from app.chat.events import StartEvent
from app.chat.follow_ups import FollowUp, is_less_relevant, pages_first, search_follow_up
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import Prompts
from app.chat.options import ChatOptions
from app.chat.question_time import plausible_time
from app.chat.rephrase import RephrasedQuestion, rephrase
from app.chat.rewrite_check import Similarity, is_translation, judged
from app.chat.steps import QuestionRephrased, QuestionTranslated
from app.chat.types import Turn
from app.search import analysis
from app.search.fusion import fused_hits
from app.search.recorder import record
from app.search.types import ANY_TIME, Degradation, Retrieval, TimeFilter
from ingest.types import UNDETERMINED

TRANSLATIONS: Final = 2
"""In how many other languages of the pages a question is searched for, those of most pages."""

log = structlog.get_logger(__name__)


class Retrieve(Protocol):
    """Finds pages for a question that needs no conversation (``LawRetriever.retrieve``)."""

    def __call__(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None,
        keywords: Sequence[str] = ...,
        time: TimeFilter,
    ) -> Retrieval:
        """Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        ...


class LookUp(Protocol):
    """Finds a text that the question only names, such as "Article 6 AI Act" (``LawRetriever.look_up``)."""

    def __call__(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None,
        time: TimeFilter,
        cited: Sequence[str],
    ) -> Retrieval | None:
        """``cited``: the ids of the pages that the last answer cites. Raises ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with everything that answering it needs.

    ``language``: given by the caller (ISO 639-1), if any. ``question_language``: the same, else the detected
    one. ``model``: ``None`` if there is none, or it must not be called; ``degraded`` then says why.
    ``summariser``: a small model, which takes no part but to summarise passages.
    """

    question: str
    history: Sequence[Turn]
    language: str | None
    question_language: str | None
    sources: frozenset[str]
    time: TimeFilter
    model: LanguageModel | None
    degraded: tuple[Degradation, ...]
    cancellation: Cancellation
    summariser: LanguageModel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """The pages found for a question. ``language``: of our own sentences in the answer. ``meant``: the
    question as the model rephrased it, empty if it did not."""

    query: Query
    meant: str
    language: str
    retrieval: Retrieval
    degraded: tuple[Degradation, ...]


class QuestionSearch:
    """Searches for questions in conversations. Thread-safe."""

    def __init__(
        self,
        *,
        retrieve: Retrieve,
        look_up: LookUp | None,
        similarity: Similarity,
        languages: Callable[[], Sequence[str]],
        options: ChatOptions,
        prompts: Prompts,
        today: Callable[[], date],
    ) -> None:
        self._retrieve = retrieve
        self._look_up = look_up
        self._similarity = similarity
        self._languages = languages
        self._options = options
        self._prompts = prompts
        self._today = today

    def find(self, query: Query) -> Generator[StartEvent, None, QuestionResult]:
        """Search, and yield once when the first search has succeeded. Raises what ``retrieve`` raises, before
        or after that."""
        found, degraded, meant = None, query.degraded, ""
        if self._look_up is not None:
            last = next((turn for turn in reversed(query.history) if turn.role == "assistant"), None)
            found = self._look_up(
                query.question,
                sources=query.sources,
                language=query.language,
                time=query.time,
                cited=[page.id for page in last.cited] if last else (),
            )
        if found is not None:
            yield StartEvent()
            retrieval = found
        elif (model := self._rephrasing_model(query)) is None:
            retrieval = search_follow_up(self._search(query), query.question, query.history)
            yield StartEvent()
        else:
            retrieval, failed, meant = yield from self._search_rephrased(model, query)
            degraded += failed
        return QuestionResult(
            query=query,
            meant=meant,
            language=query.question_language
            or retrieval.language
            or _language_of(retrieval)
            or self._options.language,
            retrieval=_hedged(retrieval, query),
            degraded=(*degraded, *retrieval.degraded),
        )

    def search_again(self, result: QuestionResult, wanted: str) -> QuestionResult:
        """The result with the hits of a search for ``wanted`` merged into its own by rank. Raises what
        ``retrieve`` raises."""
        retrieval = result.retrieval
        found = self._search(result.query)(wanted, time=retrieval.time)
        if not found.hits:
            return result
        question, hits = f"{retrieval.question} {wanted}", fused_hits(retrieval.hits, found.hits)
        return replace(result, retrieval=replace(retrieval, question=question, hits=hits))

    def _rephrasing_model(self, query: Query) -> LanguageModel | None:
        """The model, if it should rephrase the question, or translate it as no page is in its language."""
        if query.model is None or query.history:
            return query.model
        if analysis.is_short(query.question):
            return None
        return query.model if self._options.rephrase or self._is_foreign(query) else None

    def _is_foreign(self, query: Query) -> bool:
        """True if the question is in a language that no page is in."""
        return bool(self._other_languages(query)) and query.question_language not in self._languages()

    def _other_languages(self, query: Query) -> list[str]:
        """The languages that the question should be searched for in, besides its own."""
        if not self._options.translate or query.question_language is None:
            return []
        own = (query.question_language, UNDETERMINED)
        return [language for language in self._languages() if language not in own][:TRANSLATIONS]

    def _search_rephrased(
        self, model: LanguageModel, query: Query
    ) -> Generator[StartEvent, None, tuple[Retrieval, tuple[Degradation, ...], str]]:
        """Search for the question while the model rephrases it, then for the rephrased one. Returns the pages
        found, labels, and the rephrased question, empty if it was not used: the model failed, or it was
        rejected."""
        search = self._search(query)
        pool = ThreadPoolExecutor(max_workers=1)
        try:
            pending = pool.submit(
                rephrase,
                model,
                query.question,
                query.history,
                language=query.question_language or self._options.language,
                today=self._today(),
                deadline=self._options.rephrase_seconds,
                extract=self._options.extract,
                expand=self._options.expand,
                translate=self._other_languages(query),
                prompts=self._prompts,
                cancellation=query.cancellation,
            )
            asked = FollowUp(search, query.question, query.history)
            retrieval = asked.in_both_readings()
            yield StartEvent()
            rephrased = pending.result()
        finally:
            pool.shutdown(wait=False)
        if rephrased is None:
            record(QuestionRephrased, rephrased=None, rejected=None)
            return _for_model(asked), ("rephrase_failed",), ""
        time = self._time_of(retrieval, rephrased, query)
        verdict = judged(
            rephrased.question,
            query.question,
            query.history,
            time=time,
            similarity=self._similarity,
            today=self._today(),
            expand=self._options.expand,
        )
        record(QuestionRephrased, rephrased=rephrased, rejected=verdict.rejected)
        if verdict.rejected:
            log.info("rephrase_rejected", reason=verdict.rejected)
            return _for_model(asked), ("rephrase_rejected",), ""
        if rephrased.question == query.question:  # the model leaves it to us
            retrieval = _for_model(asked)
        merged = partial(self._merged, rephrased=rephrased, query=query, doubtful=verdict.doubtful)
        if time:
            in_time = FollowUp(partial(search, time=time), query.question, query.history)
            narrowed = in_time.in_both_readings()
            if narrowed.hits and (retrieval.relevance is None or not is_less_relevant(narrowed, retrieval)):
                return merged(narrowed), (), rephrased.question
        labels: tuple[Degradation, ...] = ("time_dropped",) if rephrased.time and not retrieval.time else ()
        return merged(retrieval), labels, rephrased.question

    def _time_of(self, found: Retrieval, rephrased: RephrasedQuestion, query: Query) -> TimeFilter:
        """The time that the model extracted from the question, validated; none if the search already has
        one."""
        earlier = [turn.content for turn in query.history if turn.role == "user"]
        words = "\n".join([*earlier, query.question])
        return ANY_TIME if found.time else plausible_time(rephrased.time, words, self._today())

    def _merged(
        self, found: Retrieval, *, rephrased: RephrasedQuestion, query: Query, doubtful: bool
    ) -> Retrieval:
        """The hits ``found`` for the original question merged with those of what the model made of it."""
        keep = doubtful or self._options.keep_original
        merged = self._with_rephrased(found, rephrased, query, keep_original=keep)
        return self._with_translations(merged, rephrased, query)

    def _with_rephrased(
        self, found: Retrieval, rephrased: RephrasedQuestion, query: Query, *, keep_original: bool
    ) -> Retrieval:
        """The hits ``found`` for the original question merged with those of the rephrased one, or the latter
        alone, if there are any."""
        if rephrased.question == query.question and not rephrased.keywords:
            return found
        question = found.question if rephrased.question == query.question else rephrased.question
        result = self._search(query)(question, keywords=rephrased.keywords, time=found.time)
        if not result.hits:
            return found
        is_named = result.mode == "lookup" and bool(query.history)
        if is_named or not keep_original:
            return result
        hits = fused_hits(found.hits, result.hits)
        if rephrased.question == query.question:
            return replace(found, hits=pages_first(hits, found.within))
        return replace(result, hits=hits)

    def _with_translations(self, found: Retrieval, rephrased: RephrasedQuestion, query: Query) -> Retrieval:
        """The hits ``found`` merged with those of the question in other languages."""
        if found.mode == "lookup":
            return found
        hits = found.hits
        for language, text in rephrased.translations.items():
            accepted = is_translation(
                text, rephrased.question, language, similarity=self._similarity, today=self._today()
            )
            record(QuestionTranslated, language=language, text=text, accepted=accepted)
            if not accepted:
                log.info("translation_rejected", language=language)
                continue
            search = partial(self._search(query), language=language, time=found.time)
            hits = fused_hits(hits, search(text).hits)
        return replace(found, hits=hits)

    def _search(self, query: Query) -> partial[Retrieval]:
        return partial(
            self._retrieve, sources=query.sources, language=query.question_language, time=query.time
        )


def _for_model(asked: FollowUp) -> Retrieval:
    """What a model reads that did not rephrase the question: the likelier reading, or both if it has no page,
    for the model can tell."""
    meant = asked.as_meant()
    return meant if meant.hits else asked.in_both_readings()


def _hedged(retrieval: Retrieval, query: Query) -> Retrieval:
    """The pages found for a question with words that no page has only come near to it. Those of an earlier
    question that it was searched for with are not its own."""
    words = tuple(word for word in retrieval.absent_words if word in query.question)
    is_near = words and retrieval.certainty == "answered"
    return replace(retrieval, absent_words=words, certainty="near" if is_near else retrieval.certainty)


def _language_of(retrieval: Retrieval) -> str | None:
    """The language of the best page, for a question too short to detect its own."""
    languages = (hit.page.ref.language for hit in retrieval.hits[:1])
    return next((language for language in languages if language != UNDETERMINED), None)
