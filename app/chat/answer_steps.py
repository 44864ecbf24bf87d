"""Takes the steps of an answer in order until one has answered.

:func:`app.chat.answer.steps` lists them. Each step reads and completes one :class:`AnswerState` and may yield
events; the step that yields the ``DoneEvent`` is the last one taken.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from app.chat.decisions import NO_DECISION, Curated, Decision
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent
from app.chat.records import StepEnded
from app.errors import PluginError
from app.search.recorder import record
from ingest.spans import spanned

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.chat.context import Context
    from app.chat.follow_ups import FollowUp
    from app.chat.model.cancellation import Cancellation
    from app.chat.model.metered import LanguageModel
    from app.chat.options import ChatOptions
    from app.chat.rephrase import RephrasedQuestion
    from app.chat.site_search import SiteSearch
    from app.chat.types import Message, Turn
    from app.search.filters import Filters
    from app.search.retrieval import Degradation, Hit, Retrieval, TimeFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question with everything that answering it needs.

    ``language``: given by the caller (ISO 639-1), if any. ``question_language``: the same, otherwise the
    detected one. ``options``: the site's. ``model``: ``None`` if there is none, or if it must not be called;
    ``degraded`` then says why. ``summariser``: a small model, used only to summarise passages.
    """

    question: str
    history: Sequence[Turn]
    language: str | None
    question_language: str | None
    sources: frozenset[str]
    time: TimeFilter
    filters: Filters
    options: ChatOptions
    model: LanguageModel | None
    degraded: tuple[Degradation, ...]
    cancellation: Cancellation
    summariser: LanguageModel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """The pages found for a question. ``language``: the language of our own sentences in the answer.
    ``meant``: the question as the model rephrased it, with editors' synonyms, otherwise empty."""

    query: AskedQuestion
    meant: str
    language: str
    retrieval: Retrieval
    degraded: tuple[Degradation, ...]


@dataclass(slots=True, kw_only=True)
class AnswerState:
    """The state of one answer, which each step completes.

    * ``search``: the site's search, as of now
    * ``decision``: what editors decided about the question
    * ``rephrasing``: the model's rephrasing while it runs
    * ``follow_up``: the searches for the question in a conversation
    * ``found``: the pages found, ``None`` before a search
    * ``earlier``: returns pages that earlier answers cite, to be put below those found
    * ``context`` and ``messages``: the sources and the prompt; no messages without a model
    * ``opening``: our own sentence before the text; ``card``: the card above it
    * ``curated``: how editors took part
    * ``asks_back``: True if the answer asks what the visitor means
    * ``is_begun``: some of the text was sent; ``is_answered``: all of it was
    """

    query: AskedQuestion
    search: SiteSearch
    decision: Decision = NO_DECISION
    rephrasing: Future[RephrasedQuestion | None] | None = None
    follow_up: FollowUp | None = None
    found: QuestionResult | None = None
    earlier: Callable[[], Sequence[Hit]] = tuple
    context: Context | None = None
    messages: Sequence[Message] = ()
    opening: str = ""
    card: str = ""
    curated: Curated | None = None
    asks_back: bool = False
    is_begun: bool = False
    is_answered: bool = False

    @property
    def has_law(self) -> bool:
        """True if the pages searched include acts of law."""
        return self.search.has_law(self.query.sources)

    @property
    def result(self) -> QuestionResult:
        """The pages found. Raises ``RuntimeError`` in a step that comes before the search."""
        if self.found is None:
            raise RuntimeError("no step has searched yet: put this one after the search")
        return self.found

    @property
    def planned(self) -> Context:
        """The planned context. Raises ``RuntimeError`` in a step that comes before ``PlanContext``."""
        if self.context is None:
            raise RuntimeError("no step has planned what is read: put this one after the plan")
        return self.context


class Step(Protocol):
    """One step of an answer. Thread-safe; keeps no state between questions. A ``name`` attribute replaces the
    name of its class."""

    def __call__(self, state: AnswerState, /) -> Iterable[Event]:
        """Complete ``state`` and return events, often none."""


class AddedStep(NamedTuple):
    """A step that a feature adds, and the name of the step that it comes ``before`` or ``after``."""

    step: Step
    before: str = ""
    after: str = ""


class AnswerSteps:
    """Takes steps in order. Thread-safe."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)

    def run(self, query: AskedQuestion, search: SiteSearch) -> Generator[Event, None, None]:
        """Yield the events of the answer from a site's ``search``. Closing the generator ends the current
        step. Raises the errors of the steps."""
        state = AnswerState(query=query, search=search.now())
        for step in self.steps:
            yield from spanned(step_name(step), _taken(step, state))
            record(
                StepEnded,
                name=step_name(step),
                found=state.found,
                context=state.context,
                messages=state.messages,
            )
            if state.is_answered:
                return
        raise RuntimeError(f"no step answered: {', '.join(map(step_name, self.steps))}")


def step_name(step: Step) -> str:
    """Return the name of a step in traces and in the documentation."""
    return getattr(step, "name", type(step).__name__)


def with_added(steps: Sequence[Step], added: Sequence[AddedStep]) -> list[Step]:
    """Return the steps with the ``added`` ones in their places. Raises ``PluginError`` if a place does not
    exist."""
    found = list(steps)
    for each in added:
        names = list(map(step_name, found))
        neighbour = each.before or each.after
        if neighbour not in names:
            raise PluginError(
                f"step {step_name(each.step)} is placed next to {neighbour!r}, which is not a step of "
                f"answers: use one of {', '.join(names)}"
            )
        found.insert(names.index(neighbour) + (not each.before), each.step)
    return found


def _taken(step: Step, state: AnswerState) -> Generator[Event, None, None]:
    """Yield the events of a step, with our opening and the card before the text, and with ``curated``."""
    with closing(_events(step(state))) as events:
        for event in events:
            match event:
                case DeltaEvent() if not state.is_begun:
                    state.is_begun = True
                    yield replace(event, text=_joined(state.opening, state.card, event.text))
                case DoneEvent():
                    state.is_answered = True
                    answer = _joined(state.opening, state.card, event.answer)
                    yield replace(
                        event,
                        answer=answer,
                        card=state.card,
                        curated=state.curated,
                        asks_back=state.asks_back,
                    )
                case SourcesEvent():
                    yield replace(event, curated=state.curated)
                case _:
                    yield event


def _events(events: Iterable[Event]) -> Generator[Event, None, None]:
    yield from events


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
