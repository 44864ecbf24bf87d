"""The steps of an answer, taken in order until one has answered.

The list is in :mod:`app.chat.answer`. A step reads and completes one :class:`AnswerState`, and makes the
events of the answer; the one that ends with a ``DoneEvent`` is the last.
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
    from app.search.types import Degradation, Hit, Retrieval, TimeFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with everything that answering it needs.

    ``language``: given by the caller (ISO 639-1), if any. ``question_language``: the same, else the detected
    one. ``options``: the site's. ``model``: ``None`` if there is none, or it must not be called; ``degraded``
    then says why. ``summariser``: a small model, which takes no part but to summarise passages.
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
    """The pages found for a question. ``language``: of our own sentences in the answer. ``meant``: the
    question as the model rephrased it, empty if it did not."""

    query: Query
    meant: str
    language: str
    retrieval: Retrieval
    degraded: tuple[Degradation, ...]


@dataclass(slots=True, kw_only=True)
class AnswerState:
    """What is known of one answer so far; each step adds to it.

    ``search``: the site's, as of now. ``decision``: what editors decided about the question. ``rephrasing``:
    the model at work on it; ``follow_up``: the searches for it in a conversation. ``found``: the pages;
    ``None`` before a search. ``earlier``: reads pages that a model is given again below them. ``context`` and
    ``messages``: what is read, and the prompt; no messages without a model.
    ``opening``: a sentence of ours before the text, and ``card`` the facts that are asked for;
    ``curated``: what editors did. ``asks_back``: True if it asks what is meant.
    ``is_begun``: some of the text is out; ``is_answered``: all of it is.
    """

    query: Query
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
        """True if there are acts of law among the pages that are searched."""
        return self.search.has_law(self.query.sources)

    @property
    def result(self) -> QuestionResult:
        """The pages found. Raises ``RuntimeError`` in a step that comes before the search."""
        if self.found is None:
            raise RuntimeError("no step has searched yet: put this one after the search")
        return self.found

    @property
    def read(self) -> Context:
        """What is read of the pages. Raises ``RuntimeError`` in a step that comes before the plan."""
        if self.context is None:
            raise RuntimeError("no step has planned what is read: put this one after the plan")
        return self.context


class Step(Protocol):
    """One step of an answer. Thread-safe; keeps no state between questions. One with a ``name`` goes by that
    in place of its class's."""

    def __call__(self, state: AnswerState, /) -> Iterable[Event]:
        """Take the step: complete ``state``, and return events, often none."""
        ...


class AddedStep(NamedTuple):
    """A step that a feature adds, and the name of the step that it comes ``before`` or ``after``."""

    step: Step
    before: str = ""
    after: str = ""


class AnswerSteps:
    """Takes steps in order. Thread-safe."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)

    def run(self, query: Query, search: SiteSearch) -> Generator[Event, None, None]:
        """The events of the answer from a site's ``search``. Closing the generator ends the step that is
        taken. Raises what the steps raise."""
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
    """The name of a step in traces and in the documentation."""
    return getattr(step, "name", type(step).__name__)


def with_added(steps: Sequence[Step], added: Sequence[AddedStep]) -> list[Step]:
    """The steps with those of features in their places. Raises ``PluginError`` where there is no such
    place."""
    found = list(steps)
    for each in added:
        names = list(map(step_name, found))
        neighbour = each.before or each.after
        if neighbour not in names:
            raise PluginError(
                f"step {step_name(each.step)} comes next to {neighbour!r}, which answers do not have: "
                f"name one of {', '.join(names)}"
            )
        found.insert(names.index(neighbour) + (not each.before), each.step)
    return found


def _taken(step: Step, state: AnswerState) -> Generator[Event, None, None]:
    """The events of a step, with our opening and the card before the text, and with what editors did."""
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
