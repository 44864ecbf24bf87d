"""``auskunft compare``: configurations answer a pool, are graded, and stand in one table."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from app.features.evaluation.sheets import load_sheets
from tests.app.features.evaluation.judge import metrics_found
from tests.fakes.command import Command
from tests.fakes.llm import FakeLlm, Reply, rewriting

METRICS = (
    "context_precision",
    "context_recall",
    "context_relevancy",
    "faithfulness",
    "answer_relevancy",
    "answer_correctness",
)
POOL = (
    {
        "id": "q1",
        "question": "When does the swimming pool open?",
        "gold": ["pool.html"],
        "answer": "At nine.",
        "kind": "lookup",
    },
    {
        "id": "q2",
        "question": "Who lends books for four weeks?",
        "gold": ["library.md"],
        "answer": "The library.",
        "kind": "yes-no",
    },
)
FOUR = ("default", "naive", "eurlex", "other.toml")


def answers_and_metrics(request: dict[str, Any]) -> Reply:
    """A chat's model, and a judge of the six metrics."""
    if "response_format" in request:
        return metrics_found(request)
    if request["max_tokens"] < 500:
        return rewriting("nothing else")
    return Reply(deltas=("STATUS: answered\n", "It opens at nine [1]."), usage=(90, 0, 9))


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = answers_and_metrics
        yield fake


@pytest.fixture
def town(indexed: Command, tmp_path: Path, llm: FakeLlm) -> Command:
    (tmp_path / "pool.jsonl").write_text("\n".join(map(json.dumps, POOL)))
    (tmp_path / "other.toml").write_text("[embedders.hashing]\ndims = 256\n")
    endpoint = {"chat__base_url": llm.base_url, "chat__model": "small"}
    return Command(tmp_path, indexed.data, **endpoint, judge__model="judge")


def asked(llm: FakeLlm) -> tuple[int, int]:
    """Requests to who answers and to the judge."""
    judged = sum(request["model"] == "judge" for request in llm.requests)
    return len(llm.requests) - judged, judged


def test_four_configurations_stand_in_one_table_and_on_one_page_with_six_metrics(
    town: Command, llm: FakeLlm
) -> None:
    command = ("compare", "pool.jsonl", *FOUR, "--out", "runs", "--report", "report.html")
    done = town.run(*command, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert [each["label"] for each in document["configurations"]] == ["default", "naive", "eurlex", "other"]
    for each in document["configurations"]:
        assert tuple(each["figures"]) == METRICS
        assert tuple(each["by_kind"]) == ("lookup", "yes-no")
        assert each["figures"]["faithfulness"] == {"value": 1.0, "interval": [1.0, 1.0], "questions": 2}
    assert document["differences"]["naive"]["context_recall"]["p"] == 1.0
    assert "naive" in {
        sheet.configuration["preset"] for sheet in load_sheets(town.folder / "runs" / "naive.sheets.jsonl")
    }

    html = BeautifulSoup((town.folder / "report.html").read_text("utf-8"), "lxml")
    heads = [cell.get_text() for cell in html.find("table").thead.find_all("th")]  # type: ignore[union-attr]
    assert heads == ["Figure", "default", "naive", "eurlex", "other"]
    assert len(html.select("table.drawn svg")) == 4 * len(METRICS)
    assert "Kind of question: yes-no" in html.get_text()
    assert "may be chance" in html.get_text()
    assert not html.find_all(["script", "img", "link"])

    before = asked(llm)
    again = town.run(*command)
    assert (again.code, asked(llm)) == (0, before), "what is answered and graded is not asked for again"
    assert "context_precision" in again.out
    assert "yes-no" in again.out


def test_what_all_of_it_takes_is_said_before_any_model_is_asked(town: Command, llm: FakeLlm) -> None:
    prices: dict[str, Any] = {"judge__input_price": 1_000, "judge__output_price": 1_000}
    command = ("compare", "pool.jsonl", "default", "naive", "--out", "runs")
    refused = town.run(*command, **prices)
    assert refused.code == 2
    assert "grading the answers of 2 configurations takes about" in refused.err
    assert "; answering takes about" in refused.err
    assert "run it with --max-cost" in refused.err
    assert llm.requests == []
    assert not list((town.folder / "runs").glob("*.jsonl"))
    assert town.run(*command, "--max-cost", "1000", **prices).code == 0


def test_a_comparison_that_broke_off_goes_on_where_it_was(town: Command, llm: FakeLlm) -> None:
    command = ("compare", "pool.jsonl", "default", "naive", "--out", "runs")

    def away(request: dict[str, Any]) -> Reply:
        return Reply(status=503) if request["model"] == "judge" else answers_and_metrics(request)

    llm.answer = away
    assert town.run(*command).code == 1
    answered, _ = asked(llm)
    llm.answer = answers_and_metrics
    llm.requests.clear()
    assert town.run(*command).code == 0
    assert asked(llm)[0] < answered + 1, "default's answers were there"
    assert len(load_sheets(town.folder / "runs" / "default.sheets.jsonl")) == 2


def test_questions_that_a_model_failed_to_answer_are_told_and_left_out(town: Command, llm: FakeLlm) -> None:
    def failing(request: dict[str, Any]) -> Reply:
        is_judge, said = request["model"] == "judge", request["messages"][-1]["content"]
        if not is_judge and "Who lends books" in said:
            return Reply(deltas=("STATUS: answ",), ending="cut")
        return answers_and_metrics(request)

    llm.answer = failing
    command = ("compare", "pool.jsonl", "default", "naive", "--out", "runs")
    failed = town.run(*command)
    assert failed.code == 1
    assert "naive: 1 questions have no answer: run the command again" in failed.out
    assert "1 questions, graded by judge" in failed.out
    llm.answer = answers_and_metrics
    assert town.run(*command).code == 0


def test_answers_of_another_model_are_not_compared_as_if_they_were_of_this_one(town: Command) -> None:
    command = ("compare", "pool.jsonl", "default", "naive", "--out", "runs")
    assert town.run(*command).code == 0
    refused = town.run(*command, "--model", "large")
    assert refused.code == 2
    assert "its answers come from another model, configuration or index" in refused.err


@pytest.mark.parametrize("names", [("default",), ("default", "default"), ("default", "default.toml")])
def test_configurations_that_would_share_their_files_are_refused(
    town: Command, names: tuple[str, ...]
) -> None:
    said = town.run("compare", "pool.jsonl", *names, "--out", "runs").complaint(2)
    assert "use two or more configurations, each with a different name" in said
