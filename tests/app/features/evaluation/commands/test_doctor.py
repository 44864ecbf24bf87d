"""``auskunft doctor --model``: whether a language model suits, and in which form of answers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.command import Command, Finished
from tests.fakes.llm import FakeLlm, Reply, refusing_url

ANSWERS: Final = {
    "vorläufiger Personalausweis": "Ein vorläufiger Personalausweis kostet 10 Euro",
    "zweiten Hund": "Für den zweiten Hund beträgt die Steuer 108 Euro im Jahr",
    "GmbH": "Die Anmeldung einer Gesellschaft (GmbH, UG) kostet 31 Euro",
    "camper van": "A night with a camper van on the river meadow costs 12 euros",
    "swimming course": "The beginners’ course for children has ten lessons and costs 95 euros",
}
"""What is right, by words of the question."""

SHORT: Final = 5_000
"""More characters than a prompt with few sources has, fewer than one with all."""


def asked(request: dict[str, Any]) -> str:
    """The prompt's last lines, with the question."""
    prompt: str = request["messages"][-1]["content"]
    return prompt.rpartition("</source>")[2]


def is_full(request: dict[str, Any]) -> bool:
    return "STATUS" in request["messages"][0]["content"]


def right(request: dict[str, Any]) -> Reply:
    """The reply of a model that follows its prompt."""
    said = next((text for words, text in ANSWERS.items() if words in asked(request)), "")
    if not is_full(request):
        return Reply(deltas=(f"{said}." if said else "The text does not say that.",))
    return Reply(
        deltas=(f"STATUS: answered\n{said} [1]." if said else "STATUS: none\nThe sources do not say.",)
    )


def invented(_request: dict[str, Any]) -> Reply:
    return Reply(deltas=("STATUS: answered\nDas kostet 77 Euro, it costs 77 euros [1].",))


def repeated(request: dict[str, Any]) -> Reply:
    return Reply(deltas=(asked(request),))


def right_in_the_short_form(request: dict[str, Any]) -> Reply:
    return invented(request) if is_full(request) else right(request)


def right_with_few_sources(request: dict[str, Any]) -> Reply:
    return right(request) if len(request["messages"][-1]["content"]) < SHORT else invented(request)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def command(tmp_path: Path, llm: FakeLlm) -> Command:
    return Command(tmp_path, chat__base_url=llm.base_url, chat__model="fake")


def advice(result: Finished) -> str:
    """The last line of what was printed."""
    assert result.err == ""
    return result.out.splitlines()[-1]


def test_without_an_option_all_is_checked_with_a_remedy_for_what_is_wrong(command: Command) -> None:
    done = command.run("doctor", chat__base_url=refusing_url())
    assert done.code == 1
    assert "BAD language model: language model 'fake' at 127.0.0.1" in done.out
    assert "    -> start its server, or correct base_url, model and key in [chat]\n" in done.out
    assert (
        "BAD pages: none is indexed, so nothing can be answered\n    -> index some with `auskunft init"
        in done.out
    )
    (command.folder / "page.md").write_text("# Dogs\n\nThe first dog costs 96 euros.\n")
    command.run("index", "page.md")
    findings = command.run("doctor", "--json").json()["findings"]
    assert {(each["ok"], each["remedy"]) for each in findings} == {(True, "")}
    assert command.run("doctor").out.endswith("ok  pages: 1 indexed\nall is well\n")


def test_for_a_model_that_answers_rightly_the_full_form_is_advised(command: Command, llm: FakeLlm) -> None:
    llm.answer = right
    document = command.run("doctor", "--model", "--json").json()
    assert (document["model"], document["form"], document["budget_tokens"]) == ("fake", "full", 4_000)
    assert document["advice"] == '[chat] form = "full" suits this model.'
    assert [(each["form"], each["budget_tokens"]) for each in document["tried"]] == [
        ("small", 700),
        ("full", 1_000),
        ("full", 4_000),
    ]
    for each in document["tried"]:
        assert (each["right"], each["answerable"], each["refused"], each["absent"]) == (5, 5, 3, 3)
        assert (each["wrong"], each["failed"]) == (0, [])
        assert 0 <= each["first_seconds"] <= each["seconds"]
    read = [each["prompt_tokens"] for each in document["tried"]]
    assert read == sorted(read)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (right_in_the_short_form, '[chat] form = "small" suits this model ("full" is set).'),
        (
            right_with_few_sources,
            '[chat] form = "full" suits this model with fewer sources: budget_tokens = 1000 in [question] '
            "of a preset.",
        ),
    ],
)
def test_what_a_weaker_model_is_good_for_is_advised(
    command: Command, llm: FakeLlm, answer: Callable[[dict[str, Any]], Reply], said: str
) -> None:
    llm.answer = answer
    result = command.run("doctor", "--model")
    assert (advice(result), result.code) == (said, 0)


@pytest.mark.parametrize(("answer", "than_none"), [(repeated, "no better"), (invented, "worse")])
def test_a_model_that_only_repeats_or_invents_is_better_left_off(
    command: Command, llm: FakeLlm, answer: Callable[[dict[str, Any]], Reply], than_none: str
) -> None:
    llm.answer = answer
    result = command.run("doctor", "--model")
    assert result.code == 1
    assert advice(result) == (
        f"With this model answers are {than_none} than without one: leave it off, with [chat] base_url and "
        "model empty."
    )


def test_a_model_that_cannot_be_reached_or_is_not_set_is_told_in_one_line(command: Command) -> None:
    away = command.run("doctor", "--model", chat__base_url=refusing_url())
    assert "language model 'fake' at 127.0.0.1" in away.complaint(1)
    unset = command.run("doctor", "--model", chat__base_url=None, chat__model=None)
    assert "no language model is set: set chat.base_url and chat.model" in unset.complaint(2)


def test_a_model_that_is_too_slow_is_asked_twice(command: Command, llm: FakeLlm) -> None:
    llm.script(Reply())
    llm.default = Reply(stall_at=0)
    said = command.run("doctor", "--model", chat__first_token_seconds=0.2).complaint(1)
    assert said.endswith("did not answer in time")
    assert len(llm.requests) == 3


def test_why_a_form_was_broken_off_is_told(command: Command, llm: FakeLlm) -> None:
    llm.answer = lambda request: (
        Reply(deltas=("STATUS",), ending="cut") if is_full(request) else right(request)
    )
    result = command.run("doctor", "--model")
    assert advice(result) == '[chat] form = "small" suits this model ("full" is set).'
    assert result.out.splitlines()[-2].endswith("broke off")
    assert [line.split()[:5] for line in result.out.splitlines()[1:3]] == [
        ["small", "700", "5", "of", "5"],
        ["full", "1,000", "0", "of", "2"],
    ]
