"""From a question to a streamed answer with sources.

::

    question -> retrieve -> rephrase -> retrieve -> plan the context -> model -> filters -> answer
       |                    |              |                              |
       greeting             rejected       no hit: "no answer"            none, or it fails at once: verbatim

Whatever fails on the way is labelled and the answer still comes; only an unusable question and an index or
page store that is down are errors, and they come before the first event.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from typing import TYPE_CHECKING, Final

import structlog

from app.chat.context import Context, offered, plan_context
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.fidelity import Similarity
from app.chat.history import newest
from app.chat.model.cancellation import Cancellation
from app.chat.model.prompts import answer_messages
from app.chat.model.tokens import estimate
from app.chat.options import ChatOptions
from app.chat.question_search import LookUp, Query, QuestionResult, QuestionSearch, Retrieve
from app.chat.text.attribution import probable_sources
from app.chat.text.draft import Draft
from app.chat.text.excerpts import quotes
from app.chat.text.greetings import Greeting, greeting, greeting_language
from app.chat.text.phrases import contact_sentence, greeted, no_answer, verbatim
from app.chat.text.verdict import Verdict
from app.chat.types import Message, SourceItem, Turn
from app.errors import ModelError, QuestionError
from app.search import analysis
from app.search.types import ANY_TIME, Degradation, Retrieval, TimeFilter
from ingest.text import visible

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.model.client import ChatModel

MESSAGE_TOKENS: Final = 8
"""What a chat format adds around each message."""

HISTORY_SHARE: Final = 4
"""History takes at most one part in this many of the room for prompt and pages."""

MODEL_FAILED: Final[tuple[Degradation, ...]] = ("model_unavailable",)

_STATUSES: Final[Mapping[Verdict | None, Status]] = {
    "answered": "answered",
    "partly": "partly",
    "none": "no_answer",
    "outside": "out_of_scope",
    None: "answered",
}

log = structlog.get_logger(__name__)


def _unknown(_question: str, _texts: Sequence[str]) -> None:
    return None


class Answerer:
    """Answers questions. Safe to use from several threads; holds no state between questions."""

    def __init__(
        self,
        *,
        retrieve: Retrieve,
        look_up: LookUp | None = None,
        similarity: Similarity = _unknown,
        model: ChatModel | None = None,
        options: ChatOptions | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._model = model
        self._options = options or ChatOptions()
        self._today = today
        self._finder = QuestionSearch(
            retrieve=retrieve, look_up=look_up, similarity=similarity, options=self._options, today=today
        )

    def stream(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        language: str | None = None,
        sources: frozenset[str] = frozenset(),
        time: TimeFilter = ANY_TIME,
        withheld: Degradation | None = None,
        cancellation: Cancellation | None = None,
    ) -> Generator[Event, None, None]:
        """One ``StartEvent``, one ``SourcesEvent``, any number of ``DeltaEvent``, one ``DoneEvent``. Closing
        the generator ends the model's work.

        ``language``: of the question (ISO 639-1), guessed if not given. ``time``: which law is asked for, by
        default what the question says, else today's. ``withheld``: why the model must not be asked.
        ``cancellation``: by which another thread can end the model's work. Raises ``QuestionError`` at once,
        before the first event what ``retrieve`` raises, and after a cancellation ``ModelError``.
        """
        text = self.check(question)
        asked = Query(
            question=text,
            history=history,
            language=language,
            guessed=language or analysis.question_language(text),
            sources=sources,
            time=time,
            model=None if withheld else self._model,
            degraded=(withheld,) if withheld else (),
            cancellation=cancellation or Cancellation(),
        )
        return self._events(asked)

    def check(self, question: str) -> str:
        """The question as it is asked: visible characters, trimmed. Raises ``QuestionError``."""
        text = visible(question).strip()
        if not text:
            raise QuestionError("the question is empty: ask something")
        limit = self._options.question_characters
        if len(text) > limit:
            raise QuestionError(f"the question has {len(text)} characters: use at most {limit}")
        return text

    def _events(self, asked: Query) -> Generator[Event, None, None]:
        if kind := greeting(asked.question):
            yield from self._greeted(asked, kind)
            return
        reading = yield from self._finder.find(asked)
        context, messages = self._plan(reading)
        if not context.used:
            yield from self._without_pages(reading)
            return
        yield _found(reading.retrieval, context.sources)
        if asked.model is None:
            yield from self._verbatim(reading, context)
        elif not messages:
            yield from self._verbatim(reading, context, MODEL_FAILED)
        else:
            yield from self._by_model(asked.model, messages, reading, context)

    def _greeted(self, asked: Query, kind: Greeting) -> Iterator[Event]:
        """Nothing is searched for, and no model asked."""
        language = asked.language or greeting_language(asked.question) or self._options.language
        text = greeted(kind, language)
        yield StartEvent()
        yield SourcesEvent(question=asked.question, mode=None, degraded=(), sources=())
        yield DeltaEvent(text=text)
        yield DoneEvent(
            answer=text, status="greeting", mode=None, degraded=(), model=None, sources=(), citations=()
        )

    def _plan(self, reading: QuestionResult) -> tuple[Context, list[Message]]:
        """The context and its prompt; no prompt without a model or where it has no room for any page."""
        asked, hits, budget = reading.asked, reading.retrieval.all_hits, self._options.budget_tokens
        if asked.model is None:
            return plan_context(hits, budget), []
        room = asked.model.context_tokens - self._options.answer_tokens
        history = newest(asked.history, room // HISTORY_SHARE)

        def prompt(context: Context) -> list[Message]:
            return answer_messages(
                question=asked.question,
                sources=context.used,
                history=history,
                language=reading.language,
                today=self._today(),
                purpose=self._options.purpose,
                time=reading.retrieval.time,
            )

        empty = prompt(plan_context((), 0))
        room -= sum(MESSAGE_TOKENS + estimate(message.content) for message in empty)
        context = plan_context(hits, min(budget, room))
        if context.used or not hits:
            return context, prompt(context)
        log.warning("model_context_too_small", context_tokens=asked.model.context_tokens, left=room)
        return plan_context(hits, budget), []

    def _by_model(
        self, model: ChatModel, messages: Sequence[Message], reading: QuestionResult, context: Context
    ) -> Iterator[Event]:
        draft = Draft(context.numbers)
        failed: tuple[Degradation, ...] = ()
        cancellation = reading.asked.cancellation
        try:
            with closing(model.stream(messages, self._options.answer_tokens, cancellation)) as pieces:
                for piece in pieces:
                    yield from draft.add(piece)
        except ModelError as error:
            if error.kind == "cancelled":
                raise
            log.warning("model_failed", kind=error.kind, message=str(error))
            failed = MODEL_FAILED
        yield from draft.close()
        status = _STATUSES[draft.verdict]
        text, without_answer = draft.text, status in ("no_answer", "out_of_scope") and not failed
        if without_answer:
            rest = self._in_place_of_an_answer(reading, begun=bool(text))
            text += rest
            if rest:
                yield DeltaEvent(text=rest)
        if not text:
            yield from self._verbatim(reading, context, MODEL_FAILED)
            return
        yield DoneEvent(
            answer=text,
            status="interrupted" if failed else status,
            mode=reading.retrieval.mode,
            time=reading.retrieval.time,
            degraded=(*reading.degraded, *failed),
            model=model.name,
            sources=context.sources,
            citations=tuple(draft.cited),
            probable=() if draft.cited or without_answer else probable_sources(text, context.used),
        )

    def _in_place_of_an_answer(self, reading: QuestionResult, *, begun: bool) -> str:
        """What follows where the model has no answer: whom to ask, and that there is none if it said
        nothing."""
        contact = self._options.contact
        if not begun:
            return no_answer(reading.language, offered=True, contact=contact)
        return f"\n\n{contact_sentence(reading.language, contact)}" if contact else ""

    def _verbatim(
        self, reading: QuestionResult, context: Context, failed: tuple[Degradation, ...] = ()
    ) -> Iterator[Event]:
        retrieval = reading.retrieval
        numbers = [source.number for source in context.sources]
        hits = {
            number: hit for number, hit in zip(numbers, retrieval.all_hits, strict=True) if number is not None
        }
        quoted = quotes(retrieval.question, reading.language, hits)
        text = "\n\n".join([verbatim(reading.language), *quoted.values()])
        yield DeltaEvent(text=text)
        yield DoneEvent(
            answer=text,
            status="extractive",
            mode=retrieval.mode,
            time=retrieval.time,
            degraded=(*reading.degraded, *failed),
            model=None,
            sources=context.sources,
            citations=tuple(quoted),
        )

    def _without_pages(self, reading: QuestionResult) -> Iterator[Event]:
        retrieval = reading.retrieval
        sources = offered(retrieval.hits or retrieval.keyword_hits)
        text = no_answer(reading.language, offered=bool(sources), contact=self._options.contact)
        yield _found(retrieval, sources)
        yield DeltaEvent(text=text)
        yield DoneEvent(
            answer=text,
            status="no_answer",
            mode=retrieval.mode,
            time=retrieval.time,
            degraded=reading.degraded,
            model=None,
            sources=sources,
            citations=(),
        )


def _found(retrieval: Retrieval, sources: tuple[SourceItem, ...]) -> SourcesEvent:
    return SourcesEvent(
        question=retrieval.question,
        mode=retrieval.mode,
        degraded=retrieval.degraded,
        time=retrieval.time,
        sources=sources,
    )
