"""The steps of an answer: their order, and what they share."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import pytest

from app.chat.answer import steps
from app.chat.answer_steps import (
    AddedStep,
    AnswerState,
    AnswerSteps,
    AskedQuestion,
    Step,
    step_name,
    with_added,
)
from app.chat.events import DoneEvent, Event
from app.chat.model.cancellation import Cancellation
from app.chat.model.prompts import PACKAGE_PROMPTS
from app.chat.options import ChatOptions
from app.chat.replies import reply
from app.errors import PluginError
from app.search.recorder import recording
from app.search.retrieval import ANY_TIME
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.test_answer import QUESTION

ROADS = Path(__file__).parents[3] / "docs" / "roads.md"


def names(options: ChatOptions) -> list[str]:
    return [step_name(step) for step in steps(options, PACKAGE_PROMPTS, date.today)]


def test_the_documentation_has_every_step_in_order() -> None:
    told = re.findall(r"^\| `([A-Z]\w+)` \|", ROADS.read_text(), re.MULTILINE)
    assert told == names(ChatOptions())


def test_the_form_for_small_models_has_the_same_places_for_steps_of_features() -> None:
    assert names(ChatOptions(form="small")) == names(ChatOptions())


def test_a_step_that_a_feature_adds_comes_before_or_after_the_one_that_it_names() -> None:
    known = steps(ChatOptions(), PACKAGE_PROMPTS, date.today)
    added = [AddedStep(Answer(), before="Refuse"), AddedStep(Nothing(), after="Refuse")]
    found = list(map(step_name, with_added(known, added)))
    at = found.index("Refuse")
    assert found[at - 1 : at + 2] == ["Answer", "Refuse", "Nothing"]
    for missing in (AddedStep(Answer(), before="Swim"), AddedStep(Answer(), after="Swim")):
        with pytest.raises(PluginError, match=r"Answer is placed next to 'Swim', .*: use one of Decide, "):
            with_added(known, [missing])


class Answer:
    """Answers every question."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        yield from reply(state.query, "Yes.", "answered", "en")


class Nothing:
    """Does nothing."""

    def __call__(self, state: AnswerState) -> Iterable[Event]:
        return ()


QUERY = AskedQuestion(
    question=QUESTION,
    history=(),
    language="en",
    question_language="en",
    sources=frozenset(),
    time=ANY_TIME,
    filters=(),
    options=ChatOptions(),
    model=None,
    degraded=(),
    cancellation=Cancellation(),
)


def taken(*steps: Step) -> list[str]:
    """The steps that are taken."""
    with recording() as recorder:
        *_, done = AnswerSteps(steps).run(QUERY, FoundPages())
    assert isinstance(done, DoneEvent)
    return [each.part.name for each in recorder.parts]  # type: ignore[attr-defined]


def test_the_step_that_answers_is_the_last() -> None:
    assert taken(Nothing(), Answer(), Nothing()) == ["Nothing", "Answer"]


def test_steps_of_which_none_answers_say_so() -> None:
    with pytest.raises(RuntimeError, match="no step answered: Nothing"):
        taken(Nothing())


@pytest.mark.parametrize("name", ["result", "planned"])
def test_a_step_before_the_search_says_where_it_belongs(name: str) -> None:
    class TooEarly:
        def __call__(self, state: AnswerState) -> Iterable[Event]:
            getattr(state, name)
            return ()

    with pytest.raises(RuntimeError, match="put this one after the"):
        taken(TooEarly())
