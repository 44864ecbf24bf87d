"""Traces of questions: asked as visitors ask, with all steps recorded; neither stored nor counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.chat.answer import Answerer
from app.chat.answer_steps import QuestionResult
from app.chat.context import Context
from app.chat.events import DoneEvent
from app.chat.records import (
    AnswerRefused,
    BudgetGiven,
    QuestionRephrased,
    QuestionTranslated,
    SecondSearch,
    StepEnded,
)
from app.chat.types import Message, Turn
from app.features.explain.search_trace import SearchTrace, looked_up, search_traces
from app.search.filters import Filters
from app.search.recorder import Recorded, recording
from app.search.retrieval import Retrieval, TimeFilter

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrace:
    """A step of the answer (:mod:`app.chat.answer_steps`), with its parts that recorded what they did."""

    name: str
    parts: tuple[Recorded, ...]
    rest: float
    """The seconds of the step that no part took."""

    @property
    def seconds(self) -> float:
        """The time of the whole step."""
        return sum(part.seconds for part in self.parts) + self.rest


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTrace:
    """A question, its answer as visitors get it, and what each part of every step did."""

    question: str
    sources: frozenset[str]
    done: DoneEvent
    parts: tuple[Recorded, ...]
    searches: tuple[SearchTrace, ...]

    @property
    def seconds(self) -> float:
        """The time of all steps together."""
        return sum(part.seconds for part in self.parts)

    @property
    def steps(self) -> Iterator[StepTrace]:
        """The steps that were taken, in order."""
        parts: list[Recorded] = []
        for each in self.parts:
            if isinstance(each.part, StepEnded):
                yield StepTrace(name=each.part.name, parts=tuple(parts), rest=each.seconds)
                parts = []
            else:
                parts.append(each)

    @property
    def rephrased(self) -> QuestionRephrased | None:
        """The question as rephrased by the model, if it was asked to."""
        return self._last(QuestionRephrased)

    @property
    def translated(self) -> Sequence[QuestionTranslated]:
        """The question in other languages."""
        return self._all(QuestionTranslated)

    @property
    def looked_up(self) -> Retrieval | None:
        """The text that the question merely names, if it was looked up."""
        return looked_up(self.parts)

    @property
    def found(self) -> Retrieval | None:
        """The result of all searches together; ``None`` if nothing was searched for."""
        return self._result.retrieval if self._result else None

    @property
    def meant(self) -> str:
        """The question as the model rephrased it, empty if it did not."""
        return self._result.meant if self._result else ""

    @property
    def refused(self) -> AnswerRefused | None:
        """The reason why the pages found were not read, if they were not."""
        return self._last(AnswerRefused)

    @property
    def wanted(self) -> str:
        """The second search that the model wanted; empty if none."""
        found = self._last(SecondSearch)
        return found.wanted if found else ""

    @property
    def context(self) -> Context | None:
        """The context that was read, if any."""
        return self._end.context if self._end else None

    @property
    def messages(self) -> Sequence[Message]:
        """The final prompt; empty without a model."""
        return self._end.messages if self._end else ()

    @property
    def budget_tokens(self) -> int | None:
        """The most tokens that the pages could have; ``None`` if no budget was asked for."""
        given = self._last(BudgetGiven)
        return given.tokens if given else None

    @property
    def _end(self) -> StepEnded | None:
        """The last step."""
        return self._last(StepEnded)

    @property
    def _result(self) -> QuestionResult | None:
        return self._end.found if self._end else None

    def _all(self, kind: type[Kind]) -> list[Kind]:
        return [each.part for each in self.parts if isinstance(each.part, kind)]

    def _last(self, kind: type[Kind]) -> Kind | None:
        return next(reversed(self._all(kind)), None)


def trace_question(
    answerer: Answerer,
    question: str,
    *,
    sources: frozenset[str],
    history: Sequence[Turn],
    language: str | None,
    time: TimeFilter,
    filters: Filters,
) -> QuestionTrace:
    """Answer the question by :meth:`Answerer.stream`, and record its steps. Raises the same errors."""
    with recording() as recorder:
        events = list(
            answerer.stream(
                question,
                history=history,
                language=language,
                sources=sources,
                time=time,
                filters=filters,
            )
        )
    return QuestionTrace(
        question=answerer.check(question),
        sources=sources,
        done=next(event for event in events if isinstance(event, DoneEvent)),
        parts=tuple(recorder.parts),
        searches=search_traces(recorder.parts),
    )
