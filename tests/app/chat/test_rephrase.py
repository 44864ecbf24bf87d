"""Rephrasing: a good reply is taken, a bad one is refused, a failing model harms nothing."""

import json
from datetime import date
from typing import Any

import pytest

from app.chat.model.client import ChatModel
from app.chat.rephrase import RephrasedQuestion, rephrase
from app.chat.types import Turn
from app.search.retrieval import TimeFilter
from tests.fakes.llm import FakeLlm, Reply, rewriting

HISTORY = (
    Turn(role="user", content="Where is the swimming pool?"),
    Turn(role="assistant", content="In Lake Street [1]."),
)


def rephrased(
    model: ChatModel, question: str = "And when is it open?", deadline: float = 30.0
) -> RephrasedQuestion | None:
    return rephrase(
        model, question, HISTORY, language="en", today=date(2026, 11, 21), deadline=deadline, extract=True
    )


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ('{"question": "When is the swimming pool open?"}', "When is the swimming pool open?"),
        ('```json\n{"question": "When does it open?"}\n```', "When does it open?"),
        (
            'Here it is: {"question": "When does it open?", "mood": {"x": []}} Good luck!',
            "When does it open?",
        ),
        ('{"question": "\u201eWhen does it open?\u201c", "keywords": null}', "When does it open?"),
        ('They ask {it}. {"question": "When does it open?"}', "When does it open?"),
        ('{"mood": 1} {"question": "When does it open?"} {"question": "No"}', "When does it open?"),
        ('<think>it = {the pool}</think>{"question": "When does it open?"}', "When does it open?"),
    ],
)
def test_the_models_question_is_taken(llm: FakeLlm, model: ChatModel, reply: str, question: str) -> None:
    llm.script(Reply(deltas=(reply,)))
    assert rephrased(model) == RephrasedQuestion(question=question)


def test_keywords_and_days_are_read(llm: FakeLlm, model: ChatModel) -> None:
    reply = {
        "question": "Which rules on pools applied?",
        "keywords": ["bathing water", " ", 7, "pool\u200b"],
        "in_force_on": "2023-01-31",
        "published_from": "2009",
        "published_before": "2010-07",
    }
    llm.script(Reply(deltas=(json.dumps(reply),)))
    assert rephrased(model) == RephrasedQuestion(
        question="Which rules on pools applied?",
        keywords=("bathing water", "pool"),
        time=TimeFilter(
            at=date(2023, 1, 31), published_from=date(2009, 1, 1), published_before=date(2010, 7, 1)
        ),
    )


@pytest.mark.parametrize(
    "days",
    [
        {"in_force_on": "null"},
        {"in_force_on": "yesterday"},
        {"in_force_on": "2023-02-31"},
        {"in_force_on": {"day": 1}},
        {"published_before": "0000"},
        {"published_from": "2010", "published_before": "2010"},
    ],
)
def test_what_is_no_day_narrows_nothing(llm: FakeLlm, model: ChatModel, days: dict[str, object]) -> None:
    llm.script(Reply(deltas=(json.dumps({"question": "Which rules?", **days}),)))
    assert rephrased(model) == RephrasedQuestion(question="Which rules?")


def test_a_model_cannot_flood_the_search_with_keywords(llm: FakeLlm, model: ChatModel) -> None:
    words = ", ".join(f"word{number}" + "x" * 100 for number in range(20))
    llm.script(Reply(deltas=(json.dumps({"question": "Which rules?", "keywords": words}),)))
    found = rephrased(model)
    assert found is not None
    assert (len(found.keywords), max(map(len, found.keywords))) == (10, 60)


def test_the_model_sees_the_conversation(llm: FakeLlm, model: ChatModel) -> None:
    rephrased(model)
    asked = llm.requests[0]["messages"][-1]["content"]
    assert "Visitor: Where is the swimming pool?\nService: In Lake Street." in asked
    assert asked.endswith("Last question: And when is it open?")


def schema_of(llm: FakeLlm) -> Any:
    """The schema that the last request asks for."""
    return llm.requests[-1]["response_format"]["json_schema"]["schema"]


def test_the_endpoint_is_asked_for_the_fields_that_the_preset_wants_and_no_others(
    llm: FakeLlm, model: ChatModel
) -> None:
    rephrased(model)
    days = ["in_force_on", "published_from", "published_before"]
    assert schema_of(llm)["required"] == [*schema_of(llm)["properties"]] == ["question", "keywords", *days]
    rephrase(
        model, "Q?", HISTORY, language="en", today=date(2026, 11, 21), deadline=30, translate=("de", "fr")
    )
    assert schema_of(llm)["required"] == ["question", "translations"]
    assert [*schema_of(llm)["properties"]["translations"]["properties"]] == ["de", "fr"]


def test_an_endpoint_that_takes_no_form_rephrases_all_the_same(llm: FakeLlm, model: ChatModel) -> None:
    llm.answer = lambda request: (
        Reply(status=400) if "response_format" in request else rewriting("When is the swimming pool open?")
    )
    assert (
        rephrased(model) == rephrased(model) == RephrasedQuestion(question="When is the swimming pool open?")
    )
    assert ["response_format" in request for request in llm.requests] == [True, True, False, False]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "When is the swimming pool open?",
        '"When is the swimming pool open?"',
        "The answer is 10.",
        "The pool opens at nine. Do you have other questions?",
        "I'm sorry, but I can't help with that.",
        "question: When is the swimming pool open?",
        '["When is the swimming pool open?"]',
        '{"answer": "At nine."}',
        "...",
        "One line.\n\nAnd another.",
        "word " * 200,
        "<think>only",
        "{}",
        '{"question": null}',
        '{"question": ""}',
        '{"question": "A.\\nB."}',
        '{"question": "unfinished',
        "[" * 100_000,
        '{"question":' * 10_000 + "}",
    ],
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
