"""From a question in a conversation to the pages it is answered from."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Protocol

import structlog

from app.chat.events import StartEvent
from app.chat.fidelity import Similarity, objection
from app.chat.follow_ups import is_farther, search_follow_up
from app.chat.guessed_time import plausible
from app.chat.model.cancellation import Cancellation
from app.chat.options import ChatOptions
from app.chat.rephrase import RephrasedQuestion, rephrase
from app.chat.types import Turn
from app.search import analysis
from app.search.fusion import fused_hits
from app.search.types import ANY_TIME, Degradation, Retrieval, TimeFilter
from ingest.types import UNDETERMINED

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.model.client import ChatModel

log = structlog.get_logger(__name__)


class Retrieve(Protocol):
    """Finds pages for a question that stands by itself (``Retriever.retrieve``)."""

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
    """Finds what a question only names (``Retriever.look_up``)."""

    def __call__(
        self, question: str, *, sources: frozenset[str], language: str | None, time: TimeFilter
    ) -> Retrieval | None:
        """Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, and how it may be answered.

    ``language``: as the caller says (ISO 639-1); ``guessed``: as the question shows where he does not.
    ``model``: ``None`` where none may be asked; ``degraded`` says why if there is one.
    """

    question: str
    history: Sequence[Turn]
    language: str | None
    guessed: str | None
    sources: frozenset[str]
    time: TimeFilter
    model: ChatModel | None
    degraded: tuple[Degradation, ...]
    cancellation: Cancellation


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """What was found for a question. ``language`` is the one to answer in where we speak."""

    asked: Query
    language: str
    retrieval: Retrieval
    degraded: tuple[Degradation, ...]


class QuestionSearch:
    """Searches for questions. Safe to use from several threads."""

    def __init__(
        self,
        *,
        retrieve: Retrieve,
        look_up: LookUp | None,
        similarity: Similarity,
        options: ChatOptions,
        today: Callable[[], date],
    ) -> None:
        self._retrieve = retrieve
        self._look_up = look_up
        self._similarity = similarity
        self._options = options
        self._today = today

    def find(self, asked: Query) -> Generator[StartEvent, None, QuestionResult]:
        """Yields once, as soon as a first search has succeeded. Raises what ``retrieve`` raises, before that
        or after."""
        found, degraded = None, asked.degraded
        if self._look_up is not None:
            found = self._look_up(
                asked.question, sources=asked.sources, language=asked.language, time=asked.time
            )
        if found is not None:
            yield StartEvent()
            retrieval = found
        elif (model := self._rephrasing(asked)) is None:
            retrieval = search_follow_up(self._search(asked), asked.question, asked.history)
            yield StartEvent()
        else:
            retrieval, failed = yield from self._rephrased(model, asked)
            degraded += failed
        return QuestionResult(
            asked=asked,
            language=asked.guessed or _language_of(retrieval) or self._options.language,
            retrieval=retrieval,
            degraded=(*degraded, *retrieval.degraded),
        )

    def _rephrasing(self, asked: Query) -> ChatModel | None:
        """The model, if it is to rephrase the question."""
        if asked.history:
            return asked.model
        short = analysis.is_short(asked.question)
        return asked.model if self._options.rephrase and not short else None

    def _rephrased(
        self, model: ChatModel, asked: Query
    ) -> Generator[StartEvent, None, tuple[Retrieval, tuple[Degradation, ...]]]:
        """What the rephrased question finds; what the question as it is finds, if the model fails. That
        search runs meanwhile, so that it costs no time and its errors come early."""
        search = self._search(asked)
        pool = ThreadPoolExecutor(max_workers=1)
        try:
            pending = pool.submit(
                rephrase,
                model,
                asked.question,
                asked.history,
                language=asked.guessed or self._options.language,
                today=self._today(),
                deadline=self._options.rephrase_seconds,
                extract=self._options.extract,
                cancellation=asked.cancellation,
            )
            retrieval = search_follow_up(search, asked.question, asked.history)
            yield StartEvent()
            rephrased = pending.result()
        finally:
            pool.shutdown(wait=False)
        if rephrased is None:
            return retrieval, ("rephrase_failed",)
        time = self._time_meant(retrieval, rephrased, asked)
        why = objection(
            rephrased.question,
            asked.question,
            asked.history,
            time=time,
            similarity=self._similarity,
            today=self._today(),
        )
        if why:
            log.info("rephrase_rejected", reason=why)
            return retrieval, ("rephrase_rejected",)
        if time:
            narrowed = search_follow_up(partial(search, time=time), asked.question, asked.history)
            if narrowed.hits and (retrieval.relevance is None or not is_farther(narrowed, retrieval)):
                return self._joined(narrowed, rephrased, asked), ()
        labels: tuple[Degradation, ...] = ("time_dropped",) if rephrased.time and not retrieval.time else ()
        return self._joined(retrieval, rephrased, asked), labels

    def _time_meant(self, found: Retrieval, rephrased: RephrasedQuestion, asked: Query) -> TimeFilter:
        """What the visitor may mean of the time that the model read out of the question; none where the
        question was asked for a time."""
        said = [turn.content for turn in asked.history if turn.role == "user"]
        words = "\n".join([*said, asked.question])
        return ANY_TIME if found.time else plausible(rephrased.time, words, self._today())

    def _joined(self, found: Retrieval, rephrased: RephrasedQuestion, asked: Query) -> Retrieval:
        """What was ``found`` as asked and what the rephrased question finds; for a preset that does not keep
        the former the latter, unless that is nothing."""
        if rephrased.question == asked.question and not rephrased.keywords:
            return found
        question = found.question if rephrased.question == asked.question else rephrased.question
        better = self._search(asked)(question, keywords=rephrased.keywords, time=found.time)
        if not better.hits:
            return found
        is_named = better.mode == "lookup" and bool(asked.history)
        if is_named or not self._options.keep_original:
            return better
        return replace(better, hits=fused_hits(found.hits, better.hits))

    def _search(self, asked: Query) -> partial[Retrieval]:
        return partial(self._retrieve, sources=asked.sources, language=asked.guessed, time=asked.time)


def _language_of(retrieval: Retrieval) -> str | None:
    """The best page's language, for a question too short to tell its own."""
    languages = (hit.page.ref.language for hit in retrieval.hits[:1])
    return next((language for language in languages if language != UNDETERMINED), None)
