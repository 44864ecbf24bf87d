"""Answers a question as a stream of events, with sources, by taking steps in order.

A step that fails is named in ``degraded``, and the answer goes on without it. Errors are raised only for an
invalid question, and if the index or the page store is down: by the first search before the first event, by
the search for a rephrased question after it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from app.chat.answer_steps import AddedStep, AnswerSteps, AskedQuestion, Step, with_added
from app.chat.events import Event
from app.chat.excerpt_answer import ListSources, Quote
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import MeteredModel, UsedTokens
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.chat.options import ChatOptions
from app.chat.prompt_plan import PlanContext
from app.chat.question_search import BeginRephrasing, LookUpText, PinPages, SearchPages, SearchRephrased
from app.chat.replies import AskWhichAct, Decide, Decline, Greet, NameAbsentActs, Refuse, ReplyToWish
from app.chat.site_search import SiteSearch
from app.chat.summary import QuoteAndSummarise
from app.chat.types import Turn
from app.chat.written_answer import Write
from app.errors import QuestionError
from app.search.languages import question_language
from app.search.retrieval import ANY_TIME, Degradation, TimeFilter
from ingest.text import visible

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.model.client import ChatModel
    from app.search.filters import Filters


class Answerer:
    """Answers questions from one site's ``search`` with one preset and model. Thread-safe; keeps no state
    between questions."""

    def __init__(
        self,
        search: SiteSearch,
        *,
        model: ChatModel | None = None,
        options: ChatOptions | None = None,
        prompts: Prompts = PACKAGE_PROMPTS,
        today: Callable[[], date] = date.today,
        added: Sequence[AddedStep] = (),
    ) -> None:
        """``added``: steps of features."""
        self._search = search
        self._model = model
        self._options = options or ChatOptions()
        self._steps = AnswerSteps(with_added(steps(self._options, prompts, today), added))

    def stream(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        language: str | None = None,
        sources: frozenset[str] = frozenset(),
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
        model_disabled: Degradation | None = None,
        cancellation: Cancellation | None = None,
        tokens: UsedTokens | None = None,
    ) -> Generator[Event, None, None]:
        """Yield one ``StartEvent``, one ``SourcesEvent``, any number of ``DeltaEvent``, one ``DoneEvent``.

        Closing the generator ends the model's work. ``language``: the question's (ISO 639-1), detected if not
        given. ``time``: the time whose law is searched, by default as the question says, otherwise today.
        ``filters``: on fields, for this question only. ``model_disabled``: why the model must not be called.
        ``cancellation``: lets another thread end the model's work. ``tokens``: counts the model's tokens.

        Raises ``QuestionError`` at once, the errors of ``search``, mostly before the first event, and
        ``ModelError`` after a cancellation.
        """
        text = self.check(question)
        if self._model is not None and not model_disabled and self._model.patience.is_over():
            model_disabled = "model_unavailable"
        asked = None if model_disabled else self._model
        model = MeteredModel(asked, tokens) if asked and tokens is not None else asked
        is_small = self._options.form == "small"
        query = AskedQuestion(
            question=text,
            history=history,
            language=language,
            question_language=language or question_language(text),
            sources=sources,
            time=time,
            filters=filters,
            options=self._options,
            model=None if is_small else model,
            summariser=model if is_small else None,
            degraded=(model_disabled,) if model_disabled else (),
            cancellation=cancellation or Cancellation(),
        )
        return self._steps.run(query, self._search)

    def check(self, question: str) -> str:
        """Return the question without invisible characters, trimmed. Raises ``QuestionError`` if it is empty
        or too long."""
        text = visible(question).strip()
        if not text:
            raise QuestionError("the question is empty: ask something")
        limit = self._options.question_characters
        if len(text) > limit:
            raise QuestionError(
                "the question has {count} characters: use at most {limit}", count=len(text), limit=limit
            )
        return text


def steps(options: ChatOptions, prompts: Prompts, today: Callable[[], date]) -> list[Step]:
    """Return the steps of an answer, in order."""
    is_small = options.form == "small"
    return [
        Decide(),
        Greet(),
        ReplyToWish(),
        Decline(),
        LookUpText(),
        BeginRephrasing(prompts, today),
        SearchPages(),
        SearchRephrased(today),
        PinPages(),
        NameAbsentActs(),
        AskWhichAct(),
        Refuse(),
        PlanContext(prompts, today),
        ListSources(),
        QuoteAndSummarise(prompts) if is_small else Quote(),
        Write(prompts, today),
    ]
