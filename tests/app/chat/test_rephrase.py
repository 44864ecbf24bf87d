"""Rephrasing: a good reply is taken, a bad one is refused, a failing model harms nothing."""

import pytest

from app.chat.models import ChatModel
from app.chat.rephrase import rephrase, without_model
from app.chat.types import Turn
from tests.fakes.llm import FakeLlm, Reply

HISTORY = (
    Turn(role="user", content="Where is the swimming pool?"),
    Turn(role="assistant", content="In Lake Street [1]."),
)


def rephrased(model: ChatModel, question: str = "And when is it open?", deadline: float = 30.0) -> str | None:
    return rephrase(model, question, HISTORY, language="en", deadline=deadline)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("When is the swimming pool open?", "When is the swimming pool open?"),
        ('\n"When is the swimming pool open?"\n', "When is the swimming pool open?"),
        ("<think>it = the pool</think>When does the pool open?", "When does the pool open?"),
    ],
)
def test_the_models_question_is_taken(llm: FakeLlm, model: ChatModel, reply: str, question: str) -> None:
    llm.script(Reply(deltas=(reply,)))
    assert rephrased(model) == question


def test_the_model_sees_the_conversation(llm: FakeLlm, model: ChatModel) -> None:
    rephrased(model)
    asked = llm.requests[0]["messages"][-1]["content"]
    assert "Visitor: Where is the swimming pool?\nService: In Lake Street [1]." in asked
    assert asked.endswith("Last question: And when is it open?")


@pytest.mark.parametrize(
    "reply", ["", "  \n", "...", "One line.\n\nAnd another.", "word " * 200, "<think>only"]
)
def test_a_reply_that_is_no_question_is_refused(llm: FakeLlm, model: ChatModel, reply: str) -> None:
    llm.script(Reply(deltas=(reply,)))
    assert rephrased(model) is None


@pytest.mark.parametrize("reply", [Reply(status=401), Reply(raw=b"x"), Reply(ending="early")])
def test_a_failing_model_gives_nothing(llm: FakeLlm, model: ChatModel, reply: Reply) -> None:
    llm.script(reply)
    assert rephrased(model) is None


def test_a_slow_model_gives_nothing(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(stall_at=1))
    assert rephrased(model, deadline=0.2) is None


def test_without_a_model_the_previous_question_comes_first() -> None:
    assert without_model("And when?", HISTORY) == "Where is the swimming pool? And when?"
    assert without_model("Where?", ()) == "Where?"
