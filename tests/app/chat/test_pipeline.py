"""The road of a question: its steps, their order, and what they share."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import pytest

from app.chat.answer import Answerer, steps
from app.chat.events import DoneEvent, Event
from app.chat.model.prompts import PACKAGE_PROMPTS
from app.chat.options import ChatOptions
from app.chat.pipeline import AddedStep, AnswerState, Pipeline, step_name, with_added
from app.chat.replies import reply
from app.errors import PluginError
from app.search.recorder import recording
from tests.app.chat.test_answer import POOL, QUESTION, FoundPages

ROADS = Path(__file__).parents[3] / "docs" / "roads.md"


def road(options: ChatOptions) -> list[str]:
    return [step_name(step) for step in steps(options, PACKAGE_PROMPTS, date.today)]


def test_the_documentation_has_every_step_in_order() -> None:
    told = re.findall(r"^\| `([A-Z]\w+)` \|", ROADS.read_text(), re.MULTILINE)
    assert told == road(ChatOptions())


def test_the_form_for_small_models_has_a_step_of_its_own() -> None:
    assert "QuoteAndSummarise" in road(ChatOptions(form="small"))
    assert "Quote" not in road(ChatOptions(form="small"))


def test_a_step_that_a_feature_adds_comes_before_the_one_that_it_names() -> None:
    known = steps(ChatOptions(), PACKAGE_PROMPTS, date.today)
    found = list(map(step_name, with_added(known, [AddedStep(Answer(), "Refuse")])))
    assert found.index("Answer") == found.index("Refuse") - 1
    with pytest.raises(PluginError, match=r"Answer comes before Swim, .*: name one of Decide, "):
        with_added(known, [AddedStep(Answer(), "Swim")])


class Answer:
    """Answers every question."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        yield from reply(state.query, "Yes.", "answered", "en")


class Nothing:
    """Does nothing."""

    def __call__(self, state: AnswerState) -> Iterable[Event]:
        return ()


def taken(*steps: Answer | Nothing) -> list[str]:
    """The steps that are taken."""
    answerer = Answerer(FoundPages())
    answerer._pipeline = Pipeline(steps)
    with recording() as recorder:
        *_, done = answerer.stream(QUESTION)
    assert isinstance(done, DoneEvent)
    return [each.step.name for each in recorder.steps]  # type: ignore[attr-defined]


def test_the_road_ends_with_the_step_that_answers() -> None:
    assert taken(Nothing(), Answer(), Nothing()) == ["Nothing", "Answer"]


@pytest.mark.parametrize("name", ["result", "read"])
def test_a_step_before_the_search_says_where_it_belongs(name: str) -> None:
    class TooEarly:
        def __call__(self, state: AnswerState) -> Iterable[Event]:
            getattr(state, name)
            return ()

    answerer = Answerer(FoundPages(POOL))
    answerer._pipeline = Pipeline([TooEarly()])
    with pytest.raises(RuntimeError, match="put this one behind the"):
        list(answerer.stream(QUESTION))
