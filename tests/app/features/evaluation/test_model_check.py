"""A model suits by the words of its own that are right, in a form of answers that somebody waits for."""

from collections.abc import Iterator
from typing import Final, get_args

import pytest

from app.chat.model.prompts import PACKAGE_PROMPTS
from app.features.evaluation.model_check import ModelCheck, ModelOutcome, Series
from app.settings.chat import ChatSettings
from tests.fakes.llm import FakeLlm, Reply

FEW: Final = 1_000


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


def full(llm: FakeLlm, *deltas: str, **fault: object) -> Series:
    """The answers in the full form of a model that always replies the same."""
    llm.default = Reply(deltas=deltas, **fault)  # type: ignore[arg-type]
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    _, series = ModelCheck(chat, FEW, PACKAGE_PROMPTS).run()
    assert (series.form, series.budget_tokens) == ("full", FEW)
    return series


@pytest.mark.parametrize(
    ("reply", "outcomes"),
    [
        ("STATUS: answered\nA night costs 12 euros [1].", {"right": 1, "wrong": 7}),
        (
            "STATUS: answered\nThe town hall knows more about it [1].",
            {"wrong": 1, "passages": 4, "refused": 3},
        ),
        ("STATUS: none\nThe sources say nothing about it.", {"passages": 5, "refused": 3}),
        ("STATUS: none\nThe sources speak of 77 euros.", {"wrong": 8}),
        ("STATUS: answered\nIt costs 10, 12, 31, 95 and 108 euros.", {"passages": 5, "wrong": 3}),
        ("", {"passages": 5, "refused": 3}),
    ],
)
def test_only_what_the_model_writes_counts_and_whether_the_passages_stay(
    llm: FakeLlm, reply: str, outcomes: dict[ModelOutcome, int]
) -> None:
    series = full(llm, reply)
    assert {each: count for each in get_args(ModelOutcome) if (count := series.count(each))} == outcomes
    assert not series.suits


def test_answers_that_break_off_end_the_series(llm: FakeLlm) -> None:
    llm.script(Reply(), *(Reply(deltas=("No.",)) for _ in range(8)))
    series = full(llm, "STATUS: answered\nIt costs", ending="cut")
    assert (len(series.answers), series.is_broken_off, series.suits) == (2, True, False)
