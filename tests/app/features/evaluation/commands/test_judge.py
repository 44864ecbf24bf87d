"""``auskunft sheets``, ``judge``, ``labels`` and ``rubric``."""

import csv
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from app.features.evaluation.grades import load_grades
from app.features.evaluation.sheets import load_sheets
from tests.app.features.evaluation.judge import asked_about, saying, scores, sheet, write_sheets
from tests.fakes.command import Command
from tests.fakes.llm import FakeLlm, Reply, refusing_url, rewriting

POOL = (
    {
        "id": "q1",
        "question": "When does the swimming pool open?",
        "gold": ["pool.html"],
        "answer": "At nine.",
    },
    {"id": "q2", "question": "Who lends books for four weeks?", "gold": ["library.md"], "kind": "lookup"},
)


def answers_and_grades(request: dict[str, Any]) -> Reply:
    """A chat's model, and a judge that gives the large model more."""
    if "response_format" in request:
        return saying(scores(3 if "large" in asked_about(request) else 1))
    if request["max_tokens"] < 500:
        return rewriting(f"{request['model']} rewrote it")
    return Reply(
        deltas=("STATUS: answered\n", f"It opens at nine, says {request['model']} [1]."), usage=(90, 0, 9)
    )


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = answers_and_grades
        yield fake


@pytest.fixture
def town(indexed: Command, tmp_path: Path, llm: FakeLlm) -> Command:
    (tmp_path / "pool.jsonl").write_text("\n".join(map(json.dumps, POOL)))
    endpoint = {"chat__base_url": llm.base_url, "chat__model": "small"}
    return Command(tmp_path, indexed.data, **endpoint, judge__model="judge")


def test_models_answer_from_the_same_contexts_and_are_graded_and_ranked(town: Command, llm: FakeLlm) -> None:
    out = town.folder / "sheets.jsonl"
    command = ("sheets", "pool.jsonl", "--out", "sheets.jsonl", "--model", "small", "--model", "large")
    assert town.run(*command, "--json").json()["written"] == 4
    found = load_sheets(out)
    assert [(each.id, each.model) for each in found] == [
        ("q1", "small"), ("q1", "large"), ("q2", "small"), ("q2", "large"),
    ]  # fmt: skip
    first, second = found[:2]
    assert first.context == second.context != ()
    assert "The swimming pool opens on Saturday" in first.context[0]
    assert (first.sources[0].id, first.sources[0].cited) == ("pool.html", True)
    assert (first.reference, first.tokens.prompt, first.tokens.output) == ("At nine.", 90, 9)
    assert first.configuration["preset"] == "default"
    assert first.seconds > 0

    asked = len(llm.requests)
    with out.open("ab") as file:
        file.write(b'{"half a li')
    again = town.run(*command, "--json").json()
    assert (again["written"], again["known"], len(llm.requests)) == (0, 4, asked)

    judged = town.run("judge", "sheets.jsonl")
    assert (judged.code, len(llm.requests)) == (0, asked + 4)
    assert "about" in judged.err
    document = json.loads(town.run("judge", "sheets.jsonl", "--json", "--show", "1").out)
    assert len(llm.requests) == asked + 4, "what is graded is not graded again"
    assert [(place["model"], place["mean"]) for place in document["ranking"]] == [
        ("large", 3.0),
        ("small", 1.8),
    ]
    assert document["worst"][0]["reasons"]["correctness"] == "It says what the page says."
    assert document["served"] == {"fake": 4}
    other = town.run(*command, "--preset", "egocms")
    assert other.code == 2
    assert "another configuration" in other.err


@pytest.mark.skipif(find_spec("app.features.energy") is None, reason="nothing measures energy")
def test_the_energy_of_answers_is_written_down_where_it_is_known_and_told_for_each_model(
    town: Command,
) -> None:
    command = ("sheets", "pool.jsonl", "--model", "small", "--out")
    assert town.run(*command, "plain.jsonl").code == 0
    assert {each.watt_hours for each in load_sheets(town.folder / "plain.jsonl")} <= {None}
    assert town.run(*command, "sheets.jsonl", energy__watts=100).code == 0
    taken = [each.watt_hours or 0.0 for each in load_sheets(town.folder / "sheets.jsonl")]
    assert min(taken) > 0
    document = town.run("judge", "sheets.jsonl", "--json").out
    assert json.loads(document)["by_model"]["small"]["watt_hours"] == pytest.approx(sum(taken) / 2, rel=0.01)


def test_answers_without_a_model_are_sheets_too(indexed: Command, town: Command) -> None:
    plain = Command(town.folder, indexed.data)
    assert plain.run("sheets", "pool.jsonl", "--out", "plain.jsonl").code == 0
    assert [(each.model, each.status) for each in load_sheets(town.folder / "plain.jsonl")] == [
        ("", "extractive"),
        ("", "extractive"),
    ]
    assert "set chat.base_url" in plain.run("sheets", "pool.jsonl", "--out", "x", "--model", "m").complaint(2)
    assert "set judge.model or chat.model" in plain.run("judge", "plain.jsonl").complaint(2)


def test_a_model_that_is_away_gives_no_answer_and_what_is_there_is_kept(town: Command) -> None:
    away: dict[str, Any] = {"chat__base_url": refusing_url()}
    failed = town.run("sheets", "pool.jsonl", "--out", "sheets.jsonl", **away)
    assert "cannot be reached" in failed.complaint(1)
    assert (town.folder / "sheets.jsonl").read_bytes() == b""
    assert town.run("sheets", "pool.jsonl", "--out", "sheets.jsonl").code == 0


def test_much_is_spent_only_after_a_person_says_so(town: Command, llm: FakeLlm) -> None:
    write_sheets(town.folder / "sheets.jsonl", sheet(1), sheet(2))
    prices: dict[str, Any] = {"judge__input_price": 1_000, "judge__output_price": 1_000}
    refused = town.run("judge", "sheets.jsonl", **prices).complaint(2)
    assert "grading 2 answers takes about" in refused
    assert llm.requests == []
    done = town.run("judge", "sheets.jsonl", "--max-cost", "10", "--json", **prices)
    assert (done.code, len(llm.requests)) == (0, 2)
    assert json.loads(done.out)["cost"] == pytest.approx(2 * 1.06)
    assert town.run("judge", "sheets.jsonl", "--judge", "other", "--out", "other.jsonl").code == 0
    assert [request["model"] for request in llm.requests] == ["judge", "judge", "other", "other"]
    mixed = town.run("judge", "sheets.jsonl", "--judge", "other").complaint(2)
    assert "its grades were given by 'judge'" in mixed


def test_what_is_ungraded_is_told_with_its_reason_and_graded_again_on_demand(
    town: Command, llm: FakeLlm
) -> None:
    write_sheets(town.folder / "sheets.jsonl", sheet(1), sheet(2))
    llm.answer = lambda request: Reply(deltas=("Fine answer!",))
    failed = town.run("judge", "sheets.jsonl", judge__retries=0)
    assert failed.code == 1
    assert "2 ungraded: no JSON" in failed.out
    llm.answer = answers_and_grades
    assert town.run("judge", "sheets.jsonl").code == 1, "an earlier run has them as ungraded"
    assert town.run("judge", "sheets.jsonl", "--retry").code == 0


def test_a_judge_that_calls_itself_otherwise_is_named(town: Command, llm: FakeLlm) -> None:
    write_sheets(town.folder / "sheets.jsonl", sheet(1), sheet(2))
    names = iter(["judge-1", "judge-2"])

    def renamed(_: dict[str, Any]) -> Reply:
        delta = {"index": 0, "delta": {"content": json.dumps(scores(2))}, "finish_reason": "stop"}
        event = json.dumps({"id": "1", "model": next(names), "choices": [delta]})
        return Reply(raw=f"data: {event}\n\ndata: [DONE]\n\n".encode())

    llm.answer = renamed
    out = " ".join(town.run("judge", "sheets.jsonl").out.split())
    assert "warning: the judge called itself 'judge-1' for 1 answers, 'judge-2' for 1 answers" in out


def test_a_page_for_people_is_written_or_refused_before_anything_is_graded(
    town: Command, llm: FakeLlm
) -> None:
    write_sheets(town.folder / "s.jsonl", sheet(1, model="large"), sheet(2, model="small"))
    refused = town.run("judge", "s.jsonl", "--report", "no/such/folder.html")
    assert refused.code == 2
    assert "no/such/folder.html cannot be written" in refused.err
    assert llm.requests == []
    done = town.run("judge", "s.jsonl", "--report", "report.html", "--language", "de")
    assert done.code == 0
    html = (town.folder / "report.html").read_text("utf-8")
    assert "judge hat 2 von 2 Antworten bewertet." in html
    assert html.count("<article>") == 2


def test_models_with_the_same_mean_are_printed_as_a_tie(town: Command) -> None:
    write_sheets(town.folder / "s.jsonl", sheet(1, model="one"), sheet(1, model="two"))
    said = town.run("judge", "s.jsonl").out
    assert [line for line in said.splitlines() if "(tie)" in line] == [
        "1. one (tie): 1.8 over 1 questions",
        "1. two (tie): 1.8 over 1 questions",
    ]


def test_the_regulators_worst_answers_are_printed_with_style_and_summary(town: Command, llm: FakeLlm) -> None:
    reply = {
        "summary": "B forgets Sundays.",
        "grade_reason": "It says less.",
        "grade": 2,
        "style_reason": "It offers help.",
        "style": "bad",
    }
    llm.answer = lambda _: saying(reply)
    write_sheets(town.folder / "s.jsonl", sheet(1))
    said = town.run("judge", "s.jsonl", "--style", "rtr", "--show", "1").out
    assert "style: bad  It offers help." in said
    assert "B forgets Sundays." in said


def test_answers_and_grades_go_to_mlflow_or_it_is_said_how_to_install_it_before_anything_is_graded(
    town: Command, llm: FakeLlm
) -> None:
    write_sheets(town.folder / "s.jsonl", sheet(1, model="large"), sheet(2, model="small"))
    folder = (town.folder / "mlruns").as_uri()
    quiet = dict.fromkeys(("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK", "MLFLOW_ALLOW_FILE_STORE"), "true")
    done = town.run("judge", "s.jsonl", "--mlflow", folder, extra=quiet)
    if find_spec("mlflow") is None:
        assert "MLflow is not installed: pip install 'auskunft[mlflow]'" in done.complaint(2)
        assert llm.requests == []
        return
    assert done.code == 0
    assert "the answers of 2 of 2 models are exported to MLflow" in done.err
    again = town.run("judge", "s.jsonl", "--mlflow", folder, extra=quiet)
    assert "the answers of 0 of 2 models are exported" in again.err


def test_people_label_and_agreement_is_told(town: Command) -> None:
    sheets = [sheet(number, answer=f"At nine. {number}") for number in range(2)]
    write_sheets(town.folder / "sheets.jsonl", *sheets)
    assert town.run("judge", "sheets.jsonl").code == 0
    assert town.run("labels", "export", "sheets.jsonl", "--out", "labels.csv").code == 0
    table = town.folder / "labels.csv"
    assert "already exists" in town.run("labels", "export", "sheets.jsonl", "--out", "labels.csv").complaint(
        2
    )
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows[4:]:
        row |= {"correctness": "2", "completeness": "3", "readability": "3"}
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert town.run("labels", "import", "labels.csv", "sheets.jsonl", "--out", "people.jsonl").code == 0
    assert [grade.judge for grade in load_grades(town.folder / "people.jsonl")] == ["people", "people"]
    found = town.run("labels", "agreement", "sheets.criteria.jsonl", "people.jsonl", "--json").json()
    assert (found["correctness"]["exact"], found["correctness"]["within_1"]) == (0.0, 1.0)
    assert "100%" in town.run("labels", "agreement", "sheets.criteria.jsonl", "people.jsonl").out
    write_sheets(town.folder / "other.jsonl", sheet(9))
    other = town.run("labels", "import", "labels.csv", "other.jsonl", "--out", "x.jsonl").complaint(2)
    assert "is not one of these sheets" in other


def test_a_rubric_is_drafted_and_refused_until_people_have_checked_it(town: Command, llm: FakeLlm) -> None:
    example = {
        "question": "When?",
        "context": "At nine.",
        "answer": "At nine.",
        "reason": "As the page says.",
    }
    llm.answer = lambda request: (
        saying(example) if "teaching" in request["messages"][0]["content"] else answers_and_grades(request)
    )
    assert "12 examples drafted" in town.run("rubric", "draft", "--source", "town", "--language", "en").out
    assert "already exists" in town.run("rubric", "draft").complaint(2)
    write_sheets(town.folder / "sheets.jsonl", sheet(1))
    unchecked = town.run("judge", "sheets.jsonl", judge__rubric="rubric.toml").complaint(2)
    assert "nobody has checked" in unchecked
    path = town.folder / "rubric.toml"
    path.write_text(path.read_text().replace("checked = false", "checked = true"))
    assert town.run("judge", "sheets.jsonl", judge__rubric="rubric.toml").code == 0
    assert "no page is indexed in 'fr'" in town.run(
        "rubric", "draft", "--language", "fr", "--out", "b.toml"
    ).complaint(2)


@pytest.mark.parametrize(
    ("style", "message"), [("rtr", "2 ungraded: the pool has no reference answer"), ("metrics", "ungraded")]
)
def test_what_a_style_cannot_grade_is_told(town: Command, llm: FakeLlm, style: str, message: str) -> None:
    write_sheets(town.folder / "sheets.jsonl", *(sheet(number, reference="") for number in (1, 2)))
    llm.answer = lambda _: Reply(deltas=("?",))
    done = town.run("judge", "sheets.jsonl", "--style", style, judge__retries=0)
    assert done.code == 1
    assert message in done.out
    assert (town.folder / f"sheets.{style}.jsonl").exists()
