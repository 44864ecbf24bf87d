"""Answers a question as a stream of events, with sources.

::

    question -> retrieve -> rephrase -> retrieve -> plan the context -> model -> filters -> answer
       |                    |              |                              |
       greeting             rejected       no hit: "no answer"            none, or no token: excerpts

A step that fails is named in ``degraded``, and the answer goes on without it. Errors are raised for a
question that cannot be asked, and where the index or the page store is down: by the first search before the
first event, by that for a rephrased question after it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from app.chat.context import Context
from app.chat.decisions import NO_DECISION, Curated, Decision, SiteDecisions
from app.chat.events import Event
from app.chat.excerpt_answer import (
    no_pages_answer,
    quoted_answer,
    sources_event,
    visible_blocks,
)
from app.chat.labels import describe_absent
from app.chat.memory import NamedPages
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import MeteredModel, UsedTokens
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.chat.options import ChatOptions
from app.chat.prompt_plan import AllPages, PromptPlanner, no_named_pages, no_pages
from app.chat.question_search import LookUp, Query, QuestionResult, QuestionSearch, Retrieve
from app.chat.refusal import refusal
from app.chat.replies import WishOf, editors_reply, introduced, labelled, no_wish, reply, wish_reply
from app.chat.rewrite_check import Similarity
from app.chat.second_search import missing_search
from app.chat.steps import AnswerRefused, PagesFound, SecondSearch
from app.chat.summary import Summariser, can_summarise
from app.chat.text.greetings import greeting, greeting_language
from app.chat.text.phrases import (
    greeting_reply,
    other_request_reply,
)
from app.chat.text.requests import is_other_request, says_nothing
from app.chat.types import Turn
from app.chat.which_act import is_unclear, which_act_answer
from app.chat.written_answer import MODEL_FAILED, AnswerWriter
from app.errors import QuestionError
from app.search import analysis
from app.search.intents import Wish
from app.search.recorder import record
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
        self._decisions = decisions
        self._wish_of = wish_of
        self._model = model
        self._options = options or ChatOptions()
        self._prompts = prompts
        self._today = today
        self._planner = PromptPlanner(
            options=self._options,
            prompts=prompts,
            today=today,
            all_pages=all_pages,
            named_pages=named_pages,
        )
        self._writer = AnswerWriter(options=self._options, prompts=prompts, today=today)
        self._summariser = Summariser(prompts, similarity)
        self._search = QuestionSearch(
            retrieve=retrieve,
            look_up=look_up,
            similarity=similarity,
            languages=languages,
            options=self._options,
            prompts=prompts,
            today=today,
        )

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
        return self._events(query)

    def check(self, question: str) -> str:
        """The question without invisible characters, trimmed. Raises ``QuestionError`` if it is empty or too
        long."""
        text = visible(question).strip()
        if not text:
            raise QuestionError("the question is empty: ask something")
        limit = self._options.question_characters
        if len(text) > limit:
            raise QuestionError(
                "the question has {count} characters: use at most {limit}", count=len(text), limit=limit
            )
        return text

    def _events(self, query: Query) -> Generator[Event, None, None]:
        """The events, as editors decided about the question."""
        decision = NO_DECISION
        if self._decisions is not None:
            decision = self._decisions.decide(query.question, query.question_language)
        if decision.reply is not None:
            language = query.question_language or self._options.language
            yield from editors_reply(query, decision.reply, language)
        else:
            yield from self._searched(query, decision)

    def _searched(self, query: Query, decision: Decision) -> Generator[Event, None, None]:
        if kind := greeting(query.question):
            language = query.language or greeting_language(query.question) or self._options.language
            yield from reply(query, greeting_reply(kind, language), "greeting", language)
            return
        if wish := self._wish(query):
            yield from wish_reply(query, wish, self._options)
            return
        if is_other_request(query.question) or (not query.history and says_nothing(query.question)):
            language = query.question_language or self._options.language
            yield from reply(query, other_request_reply(language), "out_of_scope", language)
            return
        result = yield from self._search.find(query)
        result, pins = self._curated(result, decision)
        note = describe_absent(result.retrieval.absent, result.language)
        yield from labelled(introduced(self._answered(result), note), pins)

    def _wish(self, query: Query) -> Wish | None:
        return self._wish_of(
            query.question, query.question_language, query.sources, is_follow_up=bool(query.history)
        )

    def _curated(self, result: QuestionResult, decision: Decision) -> tuple[QuestionResult, Curated | None]:
        """The result with the pinned pages first, and with the synonyms of the question's words."""
        if self._decisions is None:
            return result, None
        query = result.query
        retrieval, pins = self._decisions.with_pins(
            result.retrieval, decision.pins, sources=query.sources, language=query.question_language
        )
        asked = result.meant or query.question
        meant = self._decisions.explained(asked, query.question_language)
        if meant != asked:
            result = replace(result, meant=meant)
        return replace(result, retrieval=retrieval), Curated(kind="pin", entries=pins) if pins else None

    def _answered(self, result: QuestionResult) -> Generator[Event, None, None]:
        query, retrieval = result.query, result.retrieval
        record(PagesFound, result=result)
        if is_unclear(retrieval):
            yield from which_act_answer(result)
            return
        if reason := refusal(query, retrieval):
            record(AnswerRefused, reason=reason)
            yield from no_pages_answer(
                replace(result, retrieval=replace(retrieval, hits=())), self._options.contact
            )
            return
        context, messages = self._planner.plan(result)
        if messages and (wanted := self._missing(result, context)):
            record(SecondSearch, wanted=wanted)
            result = self._search.search_again(result, wanted)
            record(PagesFound, result=result)
            context, messages = self._planner.plan(result)
        if not context.used:
            yield from no_pages_answer(result, self._options.contact)
            return
        if query.model is None or not messages:
            context = context.opening(visible_blocks(context))
        yield sources_event(result, context.sources)
        if query.model is None:
            answer = quoted_answer(result, context, self._options.contact)
            if query.summariser is not None and can_summarise(retrieval):
                answer = self._summariser.below(answer, query.summariser, result, context)
            yield from answer
        elif not messages:
            yield from quoted_answer(result, context, self._options.contact, MODEL_FAILED)
        else:
            yield from self._writer.events(query.model, messages, result, context)

    def _missing(self, result: QuestionResult, context: Context) -> str | None:
        """What the model wants to be searched for, too; ``None`` where the preset does not ask it, or where
        no search can add anything."""
        query = result.query
        is_complete = context.is_corpus or result.retrieval.mode == "lookup"
        if query.model is None or not self._options.second_search or is_complete or not context.used:
            return None
        return missing_search(
            query.model,
            result.meant or query.question,
            context.used,
            language=result.language,
            deadline=self._options.rephrase_seconds,
            prompts=self._prompts,
            cancellation=query.cancellation,
        )
