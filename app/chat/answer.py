"""From a question to a streamed answer with sources.

::

    question -> rephrase -> retrieve -> plan the context -> model -> citation filter -> answer
                               |                              |
                               no hit: "no answer"            none, or it fails at once: verbatim

Whatever fails on the way is labelled and the answer still comes; only an unusable question and an index or
page store that is down are errors, and they come before the first event.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from app.chat.citations import CitationFilter
from app.chat.context import Context, offered, plan_context
from app.chat.events import Delta, Done, Event, Found
from app.chat.extractive import quotes
from app.chat.history import newest
from app.chat.phrases import FALLBACK_LANGUAGE, no_answer, verbatim
from app.chat.prompts import answer_messages
from app.chat.rephrase import Rephrased, rephrase, without_model
from app.chat.tokens import estimate
from app.chat.types import Message, Purpose, Turn
from app.errors import ModelError, QuestionError
from app.search import analysis
from app.search.retrieve import LISTED_LANGUAGES, SHORT_WORDS
from app.search.types import ANY_TIME, Degradation, Retrieval, TimeFilter
from ingest.text import visible
from ingest.types import UNDETERMINED

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.models import ChatModel

MESSAGE_TOKENS: Final = 8
"""What a chat format adds around each message."""

HISTORY_SHARE: Final = 4
"""History takes at most one part in this many of the room for prompt and pages."""

MODEL_FAILED: Final[tuple[Degradation, ...]] = ("model_unavailable",)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How questions are answered. Tokens and seconds.

    ``purpose``: the prompt's template. ``budget_tokens``: at most this much of the pages goes to the model.
    ``answer_tokens``: the longest answer. ``rephrase``: whether the model rephrases a question without
    history too (a follow-up it always does). ``extract``: whether it then also gives keywords and the time
    asked for. ``contact``: whom to ask where the pages have no answer.
    """

    purpose: Purpose = "answer"
    budget_tokens: int = 6_000
    answer_tokens: int = 1_000
    rephrase: bool = True
    extract: bool = False
    rephrase_seconds: float = 8.0
    question_characters: int = 2_000
    contact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question with what was found for it. ``language`` is the one to answer in where we speak."""

    question: str
    history: Sequence[Turn]
    language: str
    retrieval: Retrieval
    degraded: tuple[Degradation, ...]


class LookUp(Protocol):
    """Finds what a question only names (``Retriever.look_up``)."""

    def __call__(
        self, question: str, *, sources: frozenset[str], language: str | None, time: TimeFilter
    ) -> Retrieval | None:
        """Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        ...


class Answerer:
    """Answers questions. Safe to use from several threads; holds no state between questions."""

    def __init__(
        self,
        *,
        retrieve: Retrieve,
        look_up: LookUp | None = None,
        model: ChatModel | None = None,
        options: ChatOptions | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._retrieve = retrieve
        self._look_up = look_up
        self._model = model
        self._options = options or ChatOptions()
        self._today = today

    def stream(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        language: str | None = None,
        sources: frozenset[str] = frozenset(),
        time: TimeFilter = ANY_TIME,
    ) -> Generator[Event, None, None]:
        """One ``Found``, any number of ``Delta``, one ``Done``. Closing the generator ends the model's work.

        ``language``: of the question (ISO 639-1), guessed if not given. ``time``: which law is asked for, by
        default what the question says, else today's. Raises ``QuestionError`` at once, and before the first
        event what ``retrieve`` raises.
        """
        return self._events(self.check(question), history, language, sources, time)

    def check(self, question: str) -> str:
        """The question as it is asked: visible characters, trimmed. Raises ``QuestionError``."""
        text = visible(question).strip()
        if not text:
            raise QuestionError("the question is empty: ask something")
        limit = self._options.question_characters
        if len(text) > limit:
            raise QuestionError(f"the question has {len(text)} characters: use at most {limit}")
        return text

    def _events(
        self,
        question: str,
        history: Sequence[Turn],
        given: str | None,
        sources: frozenset[str],
        time: TimeFilter,
    ) -> Generator[Event, None, None]:
        language = given or analysis.question_language(question, LISTED_LANGUAGES)
        looked_up = None
        if self._look_up is not None:
            looked_up = self._look_up(question, sources=sources, language=given, time=time)
        retrieve = partial(self._retrieve, sources=sources, language=language, time=time)
        retrieval, degraded = (
            (looked_up, ()) if looked_up else self._found(question, history, language, retrieve)
        )
        asked = _Asked(
            question=question,
            history=history,
            language=language or _language_of(retrieval),
            retrieval=retrieval,
            degraded=(*degraded, *retrieval.degraded),
        )
        context, messages = self._plan(asked)
        if not context.used:
            yield from self._without_pages(asked)
            return
        yield Found(retrieval=retrieval, sources=context.sources)
        if self._model is None:
            yield from self._verbatim(asked, context)
        elif not messages:
            yield from self._verbatim(asked, context, MODEL_FAILED)
        else:
            yield from self._by_model(self._model, messages, asked, context)

    def _found(
        self,
        question: str,
        history: Sequence[Turn],
        language: str | None,
        search: partial[Retrieval],
    ) -> tuple[Retrieval, tuple[Degradation, ...]]:
        """What the rephrased question finds; what the question as it is finds, if the model fails or is not
        asked. That search runs meanwhile, so that it costs no time and its errors come early."""
        plain = without_model(question, history)
        short = not history and len(analysis.words(question)) < SHORT_WORDS
        if self._model is None or short or not (history or self._options.rephrase):
            return search(plain), ()
        pool = ThreadPoolExecutor(max_workers=1)
        try:
            pending = pool.submit(
                rephrase,
                self._model,
                question,
                history,
                language=language or FALLBACK_LANGUAGE,
                today=self._today(),
                deadline=self._options.rephrase_seconds,
                extract=self._options.extract,
            )
            retrieval = search(plain)
            rephrased = pending.result()
        finally:
            pool.shutdown(wait=False)
        if rephrased is None:
            return retrieval, ("rephrase_failed",)
        if rephrased == Rephrased(question=plain):
            return retrieval, ()
        time = retrieval.time or rephrased.time
        return search(rephrased.question, keywords=rephrased.keywords, time=time), ()

    def _plan(self, asked: _Asked) -> tuple[Context, list[Message]]:
        """The context and its prompt; no prompt without a model or where it has no room for any page."""
        hits, budget = asked.retrieval.readings, self._options.budget_tokens
        if self._model is None:
            return plan_context(hits, budget), []
        room = self._model.context_tokens - self._options.answer_tokens
        history = newest(asked.history, room // HISTORY_SHARE)

        def prompt(context: Context) -> list[Message]:
            return answer_messages(
                question=asked.question,
                sources=context.used,
                history=history,
                language=asked.language,
                today=self._today(),
                purpose=self._options.purpose,
                time=asked.retrieval.time,
            )

        empty = prompt(plan_context((), 0))
        room -= sum(MESSAGE_TOKENS + estimate(message.content) for message in empty)
        context = plan_context(hits, min(budget, room))
        if context.used or not hits:
            return context, prompt(context)
        log.warning("model_context_too_small", context_tokens=self._model.context_tokens, left=room)
        return plan_context(hits, budget), []

    def _by_model(
        self, model: ChatModel, messages: Sequence[Message], asked: _Asked, context: Context
    ) -> Iterator[Event]:
        draft = _Draft(context.numbers)
        failed: tuple[Degradation, ...] = ()
        try:
            with closing(model.stream(messages, self._options.answer_tokens)) as pieces:
                for piece in pieces:
                    yield from draft.add(piece)
        except ModelError as error:
            log.warning("model_failed", kind=error.kind, message=str(error))
            failed = MODEL_FAILED
        yield from draft.close()
        if not draft.text:
            yield from self._verbatim(asked, context, MODEL_FAILED)
            return
        yield Done(
            answer=draft.text,
            status="interrupted" if failed else "answered",
            mode=asked.retrieval.mode,
            time=asked.retrieval.time,
            degraded=(*asked.degraded, *failed),
            model=model.name,
            sources=context.sources,
            citations=tuple(draft.cited),
        )

    def _verbatim(
        self, asked: _Asked, context: Context, failed: tuple[Degradation, ...] = ()
    ) -> Iterator[Event]:
        numbers = [source.number for source in context.sources]
        hits = {
            number: hit
            for number, hit in zip(numbers, asked.retrieval.readings, strict=True)
            if number is not None
        }
        quoted = quotes(asked.retrieval.question, asked.language, hits)
        text = "\n\n".join([verbatim(asked.language), *quoted.values()])
        yield Delta(text=text)
        yield Done(
            answer=text,
            status="extractive",
            mode=asked.retrieval.mode,
            time=asked.retrieval.time,
            degraded=(*asked.degraded, *failed),
            model=None,
            sources=context.sources,
            citations=tuple(quoted),
        )

    def _without_pages(self, asked: _Asked) -> Iterator[Event]:
        retrieval = asked.retrieval
        sources = offered(retrieval.hits or retrieval.keyword_hits)
        text = no_answer(asked.language, offered=bool(sources), contact=self._options.contact)
        yield Found(retrieval=retrieval, sources=sources)
        yield Delta(text=text)
        yield Done(
            answer=text,
            status="no_answer",
            mode=retrieval.mode,
            time=retrieval.time,
            degraded=asked.degraded,
            model=None,
            sources=sources,
            citations=(),
        )


class _Draft:
    """The model's answer as it grows: visible text, citations checked, no white space in front."""

    def __init__(self, known: set[int]) -> None:
        self._citations = CitationFilter(known)
        self.text = ""

    @property
    def cited(self) -> list[int]:
        return self._citations.cited

    def add(self, piece: str) -> Iterator[Delta]:
        return self._append(self._citations.feed(visible(piece)))

    def close(self) -> Iterator[Delta]:
        return self._append(self._citations.close())

    def _append(self, text: str) -> Iterator[Delta]:
        text = text if self.text else text.lstrip()
        if text:
            self.text += text
            yield Delta(text=text)


def _language_of(retrieval: Retrieval) -> str:
    """The best page's language, for a question too short to tell its own."""
    best = next(iter(retrieval.hits), None)
    known = best is not None and best.page.ref.language != UNDETERMINED
    return best.page.ref.language if best and known else FALLBACK_LANGUAGE
