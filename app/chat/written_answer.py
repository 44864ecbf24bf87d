"""The step of an answer in which a language model writes it.

The text is streamed and checked as it comes; if it is not supported, passages of the pages follow it. If the
search is unsure of the pages, a sentence that says so precedes the model's text, however sure that sounds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Final

import structlog

from app.chat.events import STATUSES, DeltaEvent, DoneEvent, Event, Status
from app.chat.evidence import cites_its_figures, evidence, lacks_asked_figure, subjects
from app.chat.excerpt_answer import MODEL_FAILED, done_event, quoted_answer, quoted_passages, unsure_note
from app.chat.model.patience import begun
from app.chat.records import AnswerWritten
from app.chat.text.answer_filter import AnswerFilter
from app.chat.text.attribution import probable_sources
from app.chat.text.catalogue import contact_sentence, nearest_label, no_answer, texts
from app.chat.text.figure_filter import FigureFilter
from app.errors import ModelError
from app.search.recorder import record
from app.search.retrieval import Degradation
from ingest.fingerprints import text_hash

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.answer_steps import AnswerState, QuestionResult
    from app.chat.context import Context
    from app.chat.model.metered import LanguageModel
    from app.chat.model.prompts import Prompts
    from app.chat.types import Message

SUPPORTED: Final = ("answered", "partly")
"""Statuses of answers that must cite and be supported by their sources."""

log = structlog.get_logger(__name__)


class FilteredReply:
    """A model's reply, filtered by ``answer``. It can be iterated over once and ends early when the filter
    has ended. ``failures``: why the reply broke off."""

    def __init__(self, pieces: Generator[str | None, None, None], answer: AnswerFilter) -> None:
        self.failures: tuple[Degradation, ...] = ()
        self._pieces = pieces
        self._answer = answer

    def __iter__(self) -> Iterator[DeltaEvent | None]:
        """Yield the text as it comes, and None for each piece that is None. Raises ``ModelError`` after a
        cancellation."""
        try:
            with closing(self._pieces) as pieces:
                for piece in pieces:
                    if piece is None:
                        yield None
                        continue
                    yield from self._answer.feed(piece)
                    if self._answer.has_ended:
                        break
        except ModelError as error:
            if error.kind == "cancelled":
                raise
            log.warning("model_failed", kind=error.kind, message=str(error))
            self.failures = MODEL_FAILED
        yield from self._answer.close()


def with_summary(
    passages: DoneEvent,
    text: str,
    *,
    status: Status,
    citations: Sequence[int],
    unsupported: tuple[str, ...] = (),
    model: str,
    prompt: str,
) -> Iterator[Event]:
    """Yield the end of an answer of ``passages`` with a model's ``text`` below them. ``citations``,
    ``status`` and ``unsupported``: the text's."""
    below = f"\n\n{texts(passages.language).summary}\n\n{text}"
    yield DeltaEvent(text=below)
    yield replace(
        passages,
        answer=passages.answer + below,
        status=status,
        citations=tuple(dict.fromkeys((*passages.citations, *citations))),
        unsupported=unsupported,
        model=model,
        prompt=prompt,
    )


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return the hash of a prompt."""
    return text_hash("\0".join(message.content for message in messages))


class Write:
    """Has the model write the answer from the planned prompt. Raises ``ModelError`` after a cancellation."""

    def __init__(self, prompts: Prompts, today: Callable[[], date]) -> None:
        self._prompts = prompts
        self._today = today

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        result, context, messages, model = state.result, state.planned, state.messages, state.query.model
        if model is None:  # the sources were quoted
            return
        instructions = self._prompts.instructions(result.language, self._today())
        writing = _Writing(result, context, instructions)
        yield from writing.read(model, messages)
        record(AnswerWritten, model=model.name)
        prompt = prompt_hash(messages)
        if writing.passages is not None:
            yield from self._below(writing.passages, writing, model.name, prompt)
            return
        if not writing.text and (writing.failures or writing.claimed in SUPPORTED):
            yield from quoted_answer(result, context, MODEL_FAILED)
            return
        rest, quoted = self._rest(writing, result, context)
        if rest:
            yield DeltaEvent(text=rest)
        yield replace(writing.done(rest, quoted), model=model.name, prompt=prompt)

    def _below(self, passages: DoneEvent, writing: _Writing, model: str, prompt: str) -> Iterator[Event]:
        """Yield the end of an answer of passages, with the model's text below if that is complete and
        supported."""
        text = writing.text
        if not text or writing.failures or writing.claimed not in SUPPORTED or not writing.is_supported:
            yield replace(passages, degraded=(*passages.degraded, *writing.failures))
            return
        written = writing.done("", passages.citations)
        yield from with_summary(
            passages,
            text,
            status=written.status,
            citations=written.citations,
            unsupported=written.unsupported,
            model=model,
            prompt=prompt,
        )

    def _rest(
        self, writing: _Writing, result: QuestionResult, context: Context
    ) -> tuple[str, tuple[int, ...]]:
        """Return what follows the model's text, with the sources cited there: the contact, and passages if
        the text alone would be less than an answer without a model."""
        language = result.language
        parts = [""] if writing.text else [no_answer(language, has_sources=True, contact="")]
        label = writing.passages_label
        quoted = quoted_passages(result, context) if label else []
        if quoted:
            parts += [label, *(quote for _, quote in quoted)]
        contact = result.query.options.contact
        if contact and (writing.claimed not in SUPPORTED or result.retrieval.absent_words):
            parts.append(contact_sentence(language, contact))
        return "\n\n".join(parts), tuple(number for number, _ in quoted)


class _Writing:
    """A model's answer while it is written. ``text``: the text so far; ``failures``: why it broke off;
    ``passages``: the answer without a model, sent while the model kept us waiting, otherwise None."""

    def __init__(self, result: QuestionResult, context: Context, instructions: Sequence[str]) -> None:
        self.text = ""
        self.failures: tuple[Degradation, ...] = ()
        self.passages: DoneEvent | None = None
        self._result = result
        self._context = context
        self._figures = FigureFilter(
            evidence(result.query, context),
            texts(result.language).unsupported_mark,
            subjects(result, context),
        )
        self._answer = AnswerFilter(context.numbers, self._figures, instructions, result.query.question)

    def read(self, model: LanguageModel, messages: Sequence[Message]) -> Iterator[DeltaEvent]:
        """Read the model's reply to its end, or until it only repeats itself or its instructions. If it does
        not begin soon, yield passages instead and keep its text. Raises ``ModelError`` after a
        cancellation."""
        options, cancellation = self._result.query.options, self._result.query.cancellation
        pieces = model.stream(messages, options.answer_tokens, cancellation)
        reply = FilteredReply(begun(pieces, options.passages_seconds, cancellation), self._answer)
        for delta in reply:
            yield from self._quoted() if delta is None else self._given(delta)
        self.failures = reply.failures

    def _quoted(self) -> Iterator[DeltaEvent]:
        for event in quoted_answer(self._result, self._context):
            if isinstance(event, DeltaEvent):
                yield event
            elif isinstance(event, DoneEvent):
                self.passages = event

    def _given(self, delta: DeltaEvent) -> Iterator[DeltaEvent]:
        """Yield the next text, after a sentence that says so if the search is unsure. After passages, which
        say it themselves, the text is only kept, to be checked when it is complete."""
        text = delta.text
        if self.passages is None and not self.text and self.claimed in SUPPORTED:
            text = "\n\n".join(filter(None, (unsure_note(self._result), text)))
        self.text += text
        if self.passages is None:
            yield DeltaEvent(text=text)

    @property
    def claimed(self) -> Status:
        """The model's own verdict, as a status."""
        return STATUSES[self._answer.verdict or "answered"]

    @property
    def passages_label(self) -> str:
        """The sentence above the passages that must follow the text; empty if none need to."""
        language, retrieval = self._result.language, self._result.retrieval
        if self.failures:
            return texts(language).interrupted
        if self.claimed in SUPPORTED and not self.is_supported:
            return texts(language).unverified
        if self.claimed == "partly":
            return texts(language).wording
        is_doubted = self.claimed == "no_answer" and retrieval.certainty == "answered"
        return nearest_label(language) if is_doubted else ""

    def done(self, rest: str, quoted: Sequence[int]) -> DoneEvent:
        """Return the end of the answer. ``rest``: the text after the model's; ``quoted``: the sources cited
        there."""
        cited, has_answer = self._answer.cited, self.failures or self.claimed in SUPPORTED
        unsupported = tuple(self._figures.unsupported)
        is_guessed = has_answer and not cited and not (quoted and unsupported)
        end = done_event(self._result, self.text + rest, self.status, self._context.sources)
        return replace(
            end,
            degraded=(*end.degraded, *self.failures),
            citations=tuple(dict.fromkeys((*cited, *quoted))),
            probable=probable_sources(self._answer.text, self._context.used) if is_guessed else (),
            unsupported=unsupported,
        )

    @property
    def status(self) -> Status:
        """The status of the text: interrupted, unverified, or as claimed."""
        if self.failures:
            return "interrupted"
        return "unverified" if self.claimed in SUPPORTED and not self.is_supported else self.claimed

    @cached_property
    def is_supported(self) -> bool:
        """True if the sources cited support the text, and it does not leave out a figure that is asked for
        and that they have. Read it only once the text is complete."""
        if not self._answer.cited or self._answer.is_repetitive or self._figures.is_mostly_unsupported:
            return False
        text, cited, query = self._answer.text, self._answer.cited, self._result.query
        if lacks_asked_figure(text, cited, query, self._result.language, self._context):
            return False
        return cites_its_figures(text, cited, query, self._context)
