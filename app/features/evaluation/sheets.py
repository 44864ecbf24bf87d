"""Answer sheets, to be graded later by models or people. JSON Lines, one answer a line.

A sheet has question, context and answer, and the configuration that they depend on."""

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from app.chat.answer import Answerer
from app.chat.energy import Measurement, Meter
from app.chat.events import DoneEvent, Status
from app.chat.model.cancellation import Cancellation
from app.chat.model.client import ChatModel
from app.chat.model.reply_form import PLAIN, ReplyForm
from app.chat.model.tokens import Tokens, estimate
from app.chat.source_items import SourceItem, read_texts
from app.chat.types import Message, Turn
from app.errors import InputError, ModelError, PoolError, QuestionError
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.record_file import RecordFile
from app.indexing.progress import Progress, Show, silent
from ingest.fingerprints import recipe_hash

FINGERPRINT_CHARACTERS = 16
AWAY = 3
"""After this many failed answers in a row, a model counts as away."""

SPEAKERS: Final = {"user": "Visitor", "assistant": "Service"}

AnswerKey = tuple[str, str]
"""The key of the question (:func:`question_key`), and the name of the model."""


class SheetSource(BaseModel):
    """A source of the context. ``cited``: True if the answer names its number."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: int
    source: str
    id: str
    language: str
    title: str
    url: str
    cited: bool


class TokenCount(BaseModel):
    """Tokens read and written; ``estimated``: from lengths, because the endpoint does not report them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    prompt: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    output: int = Field(default=0, ge=0)
    estimated: bool = False


class AnswerSheet(BaseModel):
    """One answer. ``id``: the question's in its pool; ``reference``: its reference answer; ``answerable``:
    False if no page answers it. ``model``: empty for an answer without one. ``context``: the texts that the
    model read, in the order of ``sources``. ``watt_hours``: what it took, or ``None`` if unknown."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = ""
    question: str = Field(min_length=1)
    history: tuple[Turn, ...] = ()
    language: str = ""
    kind: str = ""
    reference: str = ""
    answerable: bool = True
    model: str = ""
    status: Status = "answered"
    answer: str
    context: tuple[str, ...] = ()
    sources: tuple[SheetSource, ...] = ()
    configuration: Mapping[str, Any] = {}
    tokens: TokenCount = TokenCount()
    seconds: float = Field(default=0.0, ge=0)
    watt_hours: float | None = Field(default=None, ge=0)

    @cached_property
    def fingerprint(self) -> str:
        """The name by which grades and labels refer to the sheet; it differs for each answer."""
        parts = (self.question, self.model, self.answer, self.reference, *self.context)
        turns = [f"{turn.role}: {turn.content}" for turn in self.history]
        return recipe_hash({"parts": "\0".join((*parts, *turns))})[:FINGERPRINT_CHARACTERS]

    @property
    def asked(self) -> str:
        """The earlier turns and the question, so that a follow-up can be understood."""
        said = [f"{SPEAKERS[turn.role]}: {turn.content}" for turn in self.history]
        return "\n".join([*said, self.question])

    @property
    def key(self) -> AnswerKey:
        """The keys of the question and of the model that answers it."""
        return question_key(self), self.model


def question_key(asked: PoolQuestion | AnswerSheet) -> str:
    """Return a key for a question by what is asked, whatever its id."""
    turns = [f"{turn.role}: {turn.content}" for turn in asked.history]
    return recipe_hash({"asked": "\0".join((asked.question, asked.language or "", *turns))})


def sheet_file(path: Path) -> RecordFile[AnswerSheet]:
    """The sheets at ``path``."""
    return RecordFile(path, AnswerSheet)


def load_sheets(path: Path) -> list[AnswerSheet]:
    """Load sheets. Raises ``InputError`` if there are none, or two of the same answer."""
    sheets = sheet_file(path).read()
    if not sheets:
        raise InputError(f"{path} contains no answers: `auskunft sheets` writes them")
    if len({sheet.fingerprint for sheet in sheets}) < len(sheets):
        raise InputError(f"{path} contains an answer twice: remove one of the lines")
    return sheets


@dataclass(slots=True)
class SharedRephrasings:
    """Replies of a model to requests of the search, above all rephrased questions.

    The first model's replies serve all models, so that all answer from the same context. ``replies``: the
    reply or error, and the seconds that it took, by the messages that asked for it."""

    replies: dict[tuple[Message, ...], tuple[str | ModelError, float]] = field(default_factory=dict)


class SheetModel(ChatModel):
    """A model that records what its last answer took. For one thread."""

    def __init__(self, rephrasings: SharedRephrasings, **options: Any) -> None:
        super().__init__(**options)
        self._rephrasings = rephrasings
        self.reset()

    def reset(self) -> None:
        """Forget the last answer."""
        self.tokens: TokenCount = TokenCount()
        self.failure: ModelError | None = None
        self.shared_seconds = 0.0

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> Generator[str, None, None]:
        """Stream an answer, and record its tokens and failure. Raises ``ModelError``."""
        told: list[Tokens] = []
        written: list[str] = []
        try:
            for piece in super().stream(messages, max_tokens, cancellation, ReplyForm(usage=told.append)):
                written.append(piece)
                yield piece
        except ModelError as error:
            self.failure = error
            raise
        finally:
            self.tokens = _taken(messages, "".join(written), told)
            if form.usage and told:
                form.usage(told[-1])

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> str:
        """Reply to a request of the search, or repeat another model's reply. Raises ``ModelError``."""
        key = tuple(messages)
        if key not in self._rephrasings.replies:
            started = time.monotonic()
            try:
                reply: str | ModelError = super().complete(messages, max_tokens, deadline, cancellation, form)
            except ModelError as error:
                reply = error
            self._rephrasings.replies[key] = reply, time.monotonic() - started
        else:
            self.shared_seconds += self._rephrasings.replies[key][1]
        found = self._rephrasings.replies[key][0]
        if isinstance(found, ModelError):
            raise found
        return found


def _taken(messages: Sequence[Message], written: str, told: Sequence[Tokens]) -> TokenCount:
    if told:
        return TokenCount(prompt=told[-1].prompt, cached=told[-1].cached, output=told[-1].output)
    read = sum(estimate(message.content) for message in messages)
    return TokenCount(prompt=read, output=estimate(written), estimated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondent:
    """An answerer and its model, which is ``None`` for answers without one."""

    answerer: Answerer
    model: SheetModel | None

    @property
    def name(self) -> str:
        """The model's name; empty without one."""
        return self.model.name if self.model else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRun:
    """Has every question of a pool answered by every respondent. ``configuration``: noted on each sheet.
    ``meter``: measures the energy of each answer."""

    respondents: Sequence[Respondent]
    sources: frozenset[str]
    configuration: Mapping[str, Any]
    meter: Meter | None = None

    def missing(
        self, questions: Sequence[PoolQuestion], there: Sequence[AnswerSheet]
    ) -> list[tuple[PoolQuestion, Respondent]]:
        """Return what is not answered yet, by question. Raises ``InputError`` if existing answers are of
        another configuration."""
        if any(sheet.configuration != self.configuration for sheet in there):
            raise InputError("its answers come from another configuration or index: choose another --out")
        known = {sheet.key for sheet in there}
        pairs = product(questions, self.respondents)
        return [pair for pair in pairs if (question_key(pair[0]), pair[1].name) not in known]

    def answers(
        self, missing: Sequence[tuple[PoolQuestion, Respondent]], show: Show = silent
    ) -> Iterator[AnswerSheet]:
        """Ask what is missing, and yield the answers as they come, without those that a model failed to give.

        ``show`` is called with the progress. Raises ``PoolError`` for a question that cannot be asked,
        ``ModelError`` if a model is away.
        """
        failed = 0
        for done, (question, respondent) in enumerate(missing, start=1):
            sheet = self._answer(question, respondent)
            failure = respondent.model.failure if respondent.model else None
            failed = failed + 1 if failure else 0
            if failure and (failed == AWAY or failure.kind in {"unreachable", "refused", "cancelled"}):
                raise failure
            if failure is None:
                yield sheet
            show(Progress(done=done, total=len(missing), unit="answers"))

    def _answer(self, question: PoolQuestion, respondent: Respondent) -> AnswerSheet:
        model = respondent.model
        if model:
            model.reset()
        started = time.monotonic()
        measurement = self.meter.begin() if self.meter else None
        try:
            done = _done(respondent.answerer, question, self.sources, measurement)
        finally:
            energy = measurement.end() if measurement else None
        seconds = time.monotonic() - started + (model.shared_seconds if model else 0.0)
        return AnswerSheet(
            id=question.id,
            question=question.question,
            history=question.history,
            language=question.language or "",
            kind=question.kind,
            reference=question.answer,
            answerable=question.answerable,
            model=respondent.name,
            status=done.status,
            answer=done.answer,
            context=read_texts(done.sources),
            sources=tuple(_source(source, done) for source in done.sources if source.used),
            configuration=self.configuration,
            tokens=model.tokens if model else TokenCount(),
            seconds=round(seconds, 3),
            watt_hours=float(f"{energy.watt_hours:.3g}") if energy else None,
        )


def _done(
    answerer: Answerer, question: PoolQuestion, sources: frozenset[str], measurement: Measurement | None
) -> DoneEvent:
    if question.earlier:
        raise PoolError(
            f"question {question.id or question.question!r} of the pool has a history of questions only: "
            "for sheets, use turns with role and content"
        )
    try:
        events = answerer.stream(
            question.question,
            history=question.history,
            language=question.language,
            sources=sources,
            tokens=measurement.tokens if measurement else None,
        )
        return next(event for event in events if isinstance(event, DoneEvent))
    except QuestionError as error:
        raise PoolError(f"question {question.id or question.question!r} of the pool: {error}") from error


def _source(source: SourceItem, done: DoneEvent) -> SheetSource:
    return SheetSource(
        number=source.number or 0,
        source=source.page.ref.source,
        id=source.page.ref.id,
        language=source.page.ref.language,
        title=source.page.title,
        url=source.page.url,
        cited=source.number in done.citations,
    )
