"""The steps of an answer that find its pages: by searching, and among those that editors pinned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

import structlog

from app.chat.answer_steps import AnswerState, AskedQuestion, QuestionResult
from app.chat.decisions import Curated
from app.chat.events import Event, StartEvent
from app.chat.follow_ups import FollowUp, is_less_relevant, pages_first
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import Prompts
from app.chat.question_time import plausible_time
from app.chat.records import QuestionRephrased, QuestionTranslated
from app.chat.rephrase import RephrasedQuestion, rephrase
from app.chat.rewrite_check import is_translation, judged
from app.chat.text.suggestions import SEPARATOR
from app.search import analysis
from app.search.certainty import names_another_year
from app.search.fusion import fused_hits
from app.search.recorder import record
from app.search.retrieval import ANY_TIME, Degradation, Retrieval, TimeFilter
from ingest.spans import carried
from ingest.types import UNDETERMINED

TRANSLATIONS: Final = 2
"""At most so many other languages of the pages are searched, those with the most pages first."""

log = structlog.get_logger(__name__)


class LookUpText:
    """Looks up a text of law if the question does nothing but name it."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        last = next((turn for turn in reversed(query.history) if turn.role == "assistant"), None)
        found = state.search.look_up(
            query.question,
            [page.id for page in last.cited] if last else (),
            sources=query.sources,
            language=query.language,
            time=query.time,
            filters=query.filters,
        )
        if found is not None:
            yield StartEvent()
            state.found = result_of(query, found)


class BeginRephrasing:
    """Has the model rephrase the question, or translate it if no page is in its language. Meanwhile the
    question is searched for as asked."""

    def __init__(self, prompts: Prompts, today: Callable[[], date]) -> None:
        self._prompts = prompts
        self._today = today

    def __call__(self, state: AnswerState) -> tuple[()]:
        query = state.query
        model = None if state.found else self._model(state)
        if model is None:
            return ()
        threads = ThreadPoolExecutor(max_workers=1)
        state.rephrasing = threads.submit(
            carried(rephrase),
            model,
            query.question,
            query.history,
            language=query.question_language or query.options.language,
            today=self._today(),
            deadline=query.options.rephrase_seconds,
            extract=query.options.extract,
            expand=query.options.expand,
            translate=self._other_languages(state),
            prompts=self._prompts,
            cancellation=query.cancellation,
        )
        threads.shutdown(wait=False)
        return ()

    def _model(self, state: AnswerState) -> LanguageModel | None:
        """Return the model if it should rephrase or translate the question, otherwise None."""
        query = state.query
        if query.model is None or query.history:
            return query.model
        if analysis.is_short(query.question):
            return None
        return query.model if query.options.rephrase or self._is_foreign(state) else None

    def _is_foreign(self, state: AnswerState) -> bool:
        """Return True if no page is in the question's language."""
        language = state.query.question_language
        return bool(self._other_languages(state)) and language not in state.search.languages()

    def _other_languages(self, state: AnswerState) -> list[str]:
        """Return the languages to search in besides the question's own."""
        language = state.query.question_language
        if not state.query.options.translate or language is None:
            return []
        others = [each for each in state.search.languages() if each not in (language, UNDETERMINED)]
        return others[:TRANSLATIONS]


class SearchPages:
    """Searches for the question as asked. In a conversation it uses the likelier reading, or both readings
    while a model is rephrasing the question."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        if state.found is not None:
            return
        query, search = state.query, search_of(state)
        if query.history or state.rephrasing or SEPARATOR in query.question:
            state.follow_up = asked = FollowUp(search, query.question, query.history)
            found = asked.in_both_readings() if state.rephrasing else asked.as_meant()
        else:
            found = search(query.question)
        yield StartEvent()
        state.found = result_of(query, found)


class SearchRephrased:
    """Waits for the rephrased question, and searches for it if it still asks the same."""

    def __init__(self, today: Callable[[], date]) -> None:
        self._today = today

    def __call__(self, state: AnswerState) -> tuple[()]:
        asked = state.follow_up
        is_chosen = SEPARATOR in state.query.question and state.result.retrieval.about
        if state.rephrasing is None or asked is None or is_chosen:
            return ()
        retrieval, labels, meant = self._found(state.rephrasing.result(), asked, state)
        state.found = result_of(state.query, retrieval, meant=meant, labels=labels)
        return ()

    def _found(
        self, rephrased: RephrasedQuestion | None, asked: FollowUp, state: AnswerState
    ) -> tuple[Retrieval, tuple[Degradation, ...], str]:
        """Return the pages found, labels, and the rephrased question, which is empty if the model failed or
        its question was rejected."""
        query, retrieval = state.query, asked.in_both_readings()
        if rephrased is None:
            record(QuestionRephrased, rephrased=None, rejected=None)
            return _for_model(asked), ("rephrase_failed",), ""
        time = self._time_of(retrieval, rephrased, query)
        decision = judged(
            rephrased.question,
            query.question,
            query.history,
            time=time,
            similarity=state.search.similarity,
            today=self._today(),
            expand=query.options.expand,
        )
        record(QuestionRephrased, rephrased=rephrased, rejected=decision.rejected)
        if decision.rejected:
            log.info("rephrase_rejected", reason=decision.rejected)
            return _for_model(asked), ("rephrase_rejected",), ""
        if rephrased.question == query.question:  # the model did not change it
            retrieval = _for_model(asked)
        merged = partial(self._merged, rephrased=rephrased, state=state, doubtful=decision.doubtful)
        if time:
            search = partial(search_of(state), time=time)
            narrowed = FollowUp(search, query.question, query.history).in_both_readings()
            if narrowed.hits and (retrieval.relevance is None or not is_less_relevant(narrowed, retrieval)):
                return merged(narrowed), (), rephrased.question
        labels: tuple[Degradation, ...] = ("time_dropped",) if rephrased.time and not retrieval.time else ()
        return merged(retrieval), labels, rephrased.question

    def _time_of(self, found: Retrieval, rephrased: RephrasedQuestion, query: AskedQuestion) -> TimeFilter:
        """Return the time that the model extracted from the question if it is plausible, or ``ANY_TIME`` if
        the search already has a time."""
        earlier = [turn.content for turn in query.history if turn.role == "user"]
        words = "\n".join([*earlier, query.question])
        return ANY_TIME if found.time else plausible_time(rephrased.time, words, self._today())

    def _merged(
        self, found: Retrieval, *, rephrased: RephrasedQuestion, state: AnswerState, doubtful: bool
    ) -> Retrieval:
        """Return the hits ``found`` for the original question, merged with those of the model's wordings."""
        keep = doubtful or state.query.options.keep_original
        merged = self._with_rephrased(found, rephrased, state, keep_original=keep)
        return self._with_translations(merged, rephrased, state)

    def _with_rephrased(
        self, found: Retrieval, rephrased: RephrasedQuestion, state: AnswerState, *, keep_original: bool
    ) -> Retrieval:
        """Return the hits ``found`` for the original question merged with those of the rephrased one, or the
        latter alone if there are any and ``keep_original`` is false."""
        query = state.query
        if rephrased.question == query.question and not rephrased.keywords:
            return found
        question = found.question if rephrased.question == query.question else rephrased.question
        result = search_of(state)(question, keywords=rephrased.keywords, time=found.time)
        if not result.hits:
            return found
        is_named = result.mode == "lookup" and bool(query.history)
        if is_named or not keep_original:
            return result
        hits = fused_hits(found.hits, result.hits)
        if rephrased.question == query.question:
            return replace(found, hits=pages_first(hits, found.about))
        return replace(result, hits=hits)

    def _with_translations(
        self, found: Retrieval, rephrased: RephrasedQuestion, state: AnswerState
    ) -> Retrieval:
        """Return the hits ``found``, merged with those of the question in other languages."""
        if found.mode == "lookup":
            return found
        hits = found.hits
        for language, text in rephrased.translations.items():
            accepted = is_translation(
                text, rephrased.question, language, similarity=state.search.similarity, today=self._today()
            )
            record(QuestionTranslated, language=language, text=text, accepted=accepted)
            if not accepted:
                log.info("translation_rejected", language=language)
                continue
            search = partial(search_of(state), language=language, time=found.time)
            hits = fused_hits(hits, search(text).hits)
        return replace(found, hits=hits)


class PinPages:
    """Puts pages that editors pinned first, and adds editors' synonyms to the question for the model."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, query = state.result, state.query
        retrieval, pins = state.search.with_pins(
            result.retrieval, state.decision.pins, sources=query.sources, language=query.question_language
        )
        asked = result.meant or query.question
        explained = state.search.explained(asked, query.question_language)
        meant = result.meant if explained == asked else explained
        state.found = replace(result, retrieval=retrieval, meant=meant)
        state.curated = Curated(kind="pin", entries=pins) if pins else None
        return ()


def search_of(state: AnswerState) -> partial[Retrieval]:
    """Return the site's search, limited as the question says: sources, language, time and filters."""
    query, search = state.query, state.search.retrieve
    return partial(
        search,
        sources=query.sources,
        language=query.question_language,
        time=query.time,
        filters=query.filters,
    )


def result_of(
    query: AskedQuestion,
    retrieval: Retrieval,
    *,
    meant: str = "",
    labels: tuple[Degradation, ...] = (),
) -> QuestionResult:
    """Return a retrieval as the question's result. ``labels``: of the steps that failed meanwhile."""
    asked_in, ours = query.question_language, query.options.language
    language = asked_in or retrieval.language or _language_of(retrieval) or ours
    return QuestionResult(
        query=query,
        meant=meant,
        language=language,
        retrieval=_hedged(retrieval, query),
        degraded=(*query.degraded, *labels, *retrieval.degraded),
    )


def _for_model(asked: FollowUp) -> Retrieval:
    """Return the hits for a model that did not rephrase the question: those of the likelier reading. If there
    are none, return those of both, because the model can see which one is meant."""
    meant = asked.as_meant()
    return meant if meant.hits else asked.in_both_readings()


def _hedged(retrieval: Retrieval, query: AskedQuestion) -> Retrieval:
    """Lower the certainty to ``near`` if the question has words that no page has, or names a year other than
    those of the best page. Absent words of earlier questions that were searched for with it are dropped."""
    words = tuple(word for word in retrieval.absent_words if word in query.question)
    pages = [hit.page for hit in retrieval.hits[:1] if not hit.page.is_law]
    is_other_year = any(names_another_year(query.question, "\n".join(page.fields.values())) for page in pages)
    is_near = (words or is_other_year) and retrieval.certainty == "answered"
    return replace(retrieval, absent_words=words, certainty="near" if is_near else retrieval.certainty)


def _language_of(retrieval: Retrieval) -> str | None:
    """Return the language of the best page, for a question too short to detect its own."""
    languages = (hit.page.ref.language for hit in retrieval.hits[:1])
    return next((language for language in languages if language != UNDETERMINED), None)
