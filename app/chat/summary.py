"""The form of an answer for small models: passages first, as without a model, and below them a few sentences
that the model makes of them.

Each of these is checked by the passages, and cites the one that says it; what they do not say is left out.
So an answer with the model is never less, later or surer than one without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import structlog

from app.chat.context import Context, plan_blocks
from app.chat.events import DeltaEvent, DoneEvent, Event
from app.chat.evidence import evidence, subjects
from app.chat.excerpt_answer import visible_blocks
from app.chat.model.prompts import Prompts
from app.chat.steps import AnswerWritten
from app.chat.text.answer_filter import AnswerFilter
from app.chat.text.attribution import probable_sources
from app.chat.text.figure_filter import FigureFilter
from app.chat.text.phrases import summary_label
from app.chat.text.plain_text import text_units
from app.chat.written_answer import MODEL_FAILED
from app.errors import ModelError
from app.search.blocks import for_model
from app.search.certainty import is_unsure
from app.search.recorder import record
from app.search.types import Degradation, Retrieval
from ingest.fingerprints import text_hash

if TYPE_CHECKING:
    from app.chat.model.metered import LanguageModel
    from app.chat.question_search import QuestionResult
    from app.chat.types import Message

READ_TOKENS: Final = 700
"""Of the passages that the model reads: with the prompt hardly a thousand."""

SUMMARY_TOKENS: Final = 160
"""Of the longest reply."""

_END: Final = re.compile(r"[.!?…:]*\Z")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    number: int
    listed: bool


class Summariser:
    """Has a small model summarise passages. Thread-safe; keeps no state between questions."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def below(
        self, answer: Iterator[Event], model: LanguageModel, result: QuestionResult, context: Context
    ) -> Iterator[Event]:
        """The events of an answer of passages, and before its end what the model makes of them. Raises
        ``ModelError`` after a cancellation."""
        done: DoneEvent | None = None
        for event in answer:
            if isinstance(event, DoneEvent):
                done = event
            else:
                yield event
        if done is None:
            return
        read, question = _read(result, context), _question(result)
        messages = self._prompts.summary(question=question, sources=read.used, language=result.language)
        reply, failures = self._reply(model, messages, result, read)
        record(AnswerWritten, model=model.name)
        sentences = list(_checked(reply, result, read))
        text = _written(sentences)
        if not text or len(text) > len(done.answer):
            yield replace(done, degraded=(*done.degraded, *failures))
            return
        below = f"\n\n{summary_label(result.language)}\n\n{text}"
        yield DeltaEvent(text=below)
        yield replace(
            done,
            answer=done.answer + below,
            status="answered",
            model=model.name,
            citations=tuple(dict.fromkeys((*done.citations, *(each.number for each in sentences)))),
            prompt=text_hash("\0".join(message.content for message in messages)),
        )

    def _reply(
        self, model: LanguageModel, messages: Sequence[Message], result: QuestionResult, read: Context
    ) -> tuple[str, tuple[Degradation, ...]]:
        """What the model says of its own, without citations, and the reason why it failed."""
        query = result.query
        told = self._prompts.summary(question="", sources=(), language=result.language)
        figures = FigureFilter(evidence(query, read), "")
        instructions = [message.content for message in told]
        answer = AnswerFilter(set(), figures, instructions, _question(result))
        deltas: list[DeltaEvent] = []
        try:
            with closing(model.stream(messages, SUMMARY_TOKENS, query.cancellation)) as pieces:
                for piece in pieces:
                    deltas += answer.feed(piece)
                    if answer.has_ended:
                        break
        except ModelError as error:
            if error.kind == "cancelled":
                raise
            log.warning("model_failed", kind=error.kind, message=str(error))
            return "", MODEL_FAILED
        deltas += answer.close()
        if answer.verdict in ("none", "outside"):
            return "", ()
        return "".join(delta.text for delta in deltas), ()


def can_summarise(retrieval: Retrieval) -> bool:
    """True if the search is sure that the pages answer the question: of others a model makes too much."""
    return not is_unsure(retrieval) and not retrieval.absent_words and retrieval.mode != "lookup"


def _question(result: QuestionResult) -> str:
    """The question as the model reads it; one that goes on behind the one before it, as its search may leave
    out what that asked for."""
    query, retrieval = result.query, result.retrieval
    earlier = [turn.content for turn in query.history if turn.role == "user"]
    if earlier and retrieval.within:
        return f"{earlier[-1]} {query.question}"
    return retrieval.question


def _read(result: QuestionResult, context: Context) -> Context:
    """What the model reads: the blocks that are quoted, then the next best ones, as far as there is room."""
    quoted = visible_blocks(context)
    others = (block for block in for_model(context.blocks) if not any(block is each for each in quoted))
    numbers = {source.page.ref: source.number for source in context.used}
    planned = plan_blocks([*quoted, *others], result.retrieval.hits, READ_TOKENS)
    sources = (replace(source, number=numbers.get(source.page.ref)) for source in planned.used)
    return Context(sources=tuple(source for source in sources if source.number is not None))


def _checked(reply: str, result: QuestionResult, read: Context) -> Iterator[_Sentence]:
    """The sentences of the reply that the passages say, each once, with the source that does."""
    known, bound = evidence(result.query, read), subjects(result, read)
    said: set[str] = set()
    for unit in text_units(reply):
        figures = FigureFilter(known, "", bound)
        figures.feed(unit.text)
        figures.close()
        numbers = probable_sources(unit.text, read.used)
        if numbers and not figures.unsupported and unit.text not in said:
            said.add(unit.text)
            yield _Sentence(text=unit.text, number=numbers[0], listed=unit.listed)


def _written(sentences: Sequence[_Sentence]) -> str:
    """The sentences in Markdown, with their citations; a list if one is an item."""
    cited = [_END.sub(rf" [{each.number}]\g<0>", each.text, count=1) for each in sentences]
    if any(each.listed for each in sentences):
        return "\n".join(f"- {text}" for text in cited)
    return " ".join(cited)
