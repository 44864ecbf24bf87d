"""Answers a question as a stream of events, with sources: the steps of its road, in order.

A step that fails is named in ``degraded``, and the answer goes on without it. Errors are raised for a
question that cannot be asked, and where the index or the page store is down: by the first search before the
first event, by that for a rephrased question after it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from app.chat.decisions import SiteDecisions
from app.chat.events import Event
from app.chat.excerpt_answer import ListSources, Quote
from app.chat.memory import NamedPages
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import MeteredModel, UsedTokens
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.chat.options import ChatOptions
from app.chat.pins import PinPages
from app.chat.pipeline import Pipeline, Query, Step
from app.chat.prompt_plan import AllPages, PlanContext, no_named_pages, no_pages
from app.chat.question_search import (
    BeginRephrasing,
    LookUp,
    LookUpText,
    Retrieve,
    SearchPages,
    SearchRephrased,
)
from app.chat.refusal import Refuse
from app.chat.replies import Decide, Decline, Greet, ReplyToWish, WishOf, no_wish
from app.chat.rewrite_check import Similarity
from app.chat.second_search import SearchAgain
from app.chat.summary import QuoteAndSummarise
from app.chat.types import Turn
from app.chat.which_act import AskWhichAct, NameAbsentActs
from app.chat.written_answer import Write
from app.errors import QuestionError
from app.search import analysis
from app.search.types import ANY_TIME, Degradation, TimeFilter
from ingest.text import visible

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.model.client import ChatModel


def _no_similarity(_question: str, _texts: Sequence[str]) -> None:
    return None


class Answerer:
    """Answers questions with one preset and model. Thread-safe; keeps no state between questions."""

    def __init__(
        self,
        *,
        retrieve: Retrieve,
        look_up: LookUp | None = None,
        similarity: Similarity = _no_similarity,
        wish_of: WishOf = no_wish,
        languages: Callable[[], Sequence[str]] = tuple,
        all_pages: AllPages = no_pages,
        named_pages: NamedPages = no_named_pages,
        model: ChatModel | None = None,
        options: ChatOptions | None = None,
        prompts: Prompts = PACKAGE_PROMPTS,
        today: Callable[[], date] = date.today,
        decisions: SiteDecisions | None = None,
    ) -> None:
        """``decisions``: those of editors about answers, ``None`` where nobody decides."""
        self._model = model
        self._options = options = options or ChatOptions()

        def replies() -> Iterator[Step]:
            if decisions is not None:
                yield Decide(decisions, options)
            yield Greet(options)
            yield ReplyToWish(wish_of, options)
            yield Decline(options)

        def searches() -> Iterator[Step]:
            if look_up is not None:
                yield LookUpText(look_up, options)
            yield BeginRephrasing(options, prompts, languages, today)
            yield SearchPages(retrieve, options)
            yield SearchRephrased(retrieve, similarity, options, today)
            if decisions is not None:
                yield PinPages(decisions)
            yield NameAbsentActs()
            yield AskWhichAct()
            yield Refuse(options)

        def reading() -> Iterator[Step]:
            plan = PlanContext(
                options=options, prompts=prompts, today=today, all_pages=all_pages, named_pages=named_pages
            )
            yield plan
            if options.second_search:
                yield SearchAgain(retrieve, plan, options, prompts)

        def answering() -> Iterator[Step]:
            yield ListSources(options)
            is_small = options.form == "small"
            yield QuoteAndSummarise(options, prompts, similarity) if is_small else Quote(options)
            yield Write(options=options, prompts=prompts, today=today)

        self._pipeline = Pipeline([*replies(), *searches(), *reading(), *answering()])

    def stream(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        language: str | None = None,
        sources: frozenset[str] = frozenset(),
        time: TimeFilter = ANY_TIME,
        model_disabled: Degradation | None = None,
        cancellation: Cancellation | None = None,
        tokens: UsedTokens | None = None,
    ) -> Generator[Event, None, None]:
        """One ``StartEvent``, one ``SourcesEvent``, any number of ``DeltaEvent``, one ``DoneEvent``. Closing
        the generator ends the model's work.

        ``language``: the question's (ISO 639-1), detected if not given. ``time``: of the law to search, by
        default as the question says, else today. ``model_disabled``: why the model must not be called.
        ``cancellation``: lets another thread end the model's work. ``tokens``: counts those of the model.

        Raises ``QuestionError`` at once, what ``retrieve`` raises, mostly before the first event, and
        ``ModelError`` after a cancellation.
        """
        text = self.check(question)
        if self._model is not None and not model_disabled and self._model.patience.is_over():
            model_disabled = "model_unavailable"
        asked = None if model_disabled else self._model
        model = MeteredModel(asked, tokens) if asked and tokens is not None else asked
        is_small = self._options.form == "small"
        query = Query(
            question=text,
            history=history,
            language=language,
            question_language=language or analysis.question_language(text),
            sources=sources,
            time=time,
            model=None if is_small else model,
            summariser=model if is_small else None,
            degraded=(model_disabled,) if model_disabled else (),
            cancellation=cancellation or Cancellation(),
        )
        return self._pipeline.run(query)

    def check(self, question: str) -> str:
        """The question without invisible characters, trimmed. Raises ``QuestionError`` if it is empty or too
        long."""
        text = visible(question).strip()
        if not text:
            raise QuestionError("the question is empty: ask something")
        limit = self._options.question_characters
        if len(text) > limit:
            raise QuestionError(f"the question has {len(text)} characters: use at most {limit}")
        return text
