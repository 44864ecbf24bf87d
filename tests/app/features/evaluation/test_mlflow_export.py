"""Runs copied to MLflow, into a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.features.evaluation.grades import Grade, GradedSheet
from app.features.evaluation.mlflow_export import export_answers, export_run, metrics, parameters
from app.features.evaluation.rubric import Weights
from tests.app.features.evaluation.judge import sheet
from tests.app.features.evaluation.results import result, run

RUN = run(
    "default",
    result("found", "a"),
    result("lost", "ba"),
    number=3,
    configuration={"preset": "default", "embedder": {"name": "e5", "dims": 384}, "sources": ["law", "town"]},
)


def test_figures_and_configuration_have_names_that_mlflow_takes() -> None:
    found = metrics(RUN)
    assert (found["hit_at_1"], found["hit_at_1.low"], found["hit_at_1.high"]) == (0.5, 0.0, 1.0)
    assert not {name for name in found if set(name) & set("@%=")}
    assert parameters(RUN) == {
        "pool": "pool.jsonl",
        "pool_hash": RUN.pool_hash,
        "questions": "2",
        "preset": "default",
        "embedder.name": "e5",
        "embedder.dims": "384",
        "sources": "law, town",
    }


@pytest.fixture
def tracking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """MLflow, which asks no other host and writes into folders."""
    for name in ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK", "MLFLOW_ALLOW_FILE_STORE"):
        monkeypatch.setenv(name, "true")
    return pytest.importorskip("mlflow.tracking", reason="needs MLflow: pip install mlflow-skinny")


def test_a_run_is_exported_once(tmp_path: Path, tracking: Any) -> None:
    folder = (tmp_path / "mlruns").as_uri()
    assert export_run(RUN, folder)
    assert not export_run(RUN, folder)
    client = tracking.MlflowClient(tracking_uri=folder)
    [found] = client.search_runs([client.get_experiment_by_name("auskunft").experiment_id])
    assert (found.info.run_name, found.info.status) == ("default", "FINISHED")
    assert found.data.metrics == pytest.approx(metrics(RUN))
    assert found.data.params == parameters(RUN)
    written = Path(client.download_artifacts(found.info.run_id, "results.json", str(tmp_path)))
    assert [each["id"] for each in json.loads(written.read_text())["results"]] == ["found", "lost"]


def graded(number: int, model: str, score: float) -> GradedSheet:
    answer = sheet(number, model=model, configuration={"preset": "naive", "embedder": {"dims": 384}})
    scores = {"correctness": score, "completeness": score, "readability": score}
    given = {"judge": "strong", "style": "criteria", "scale": "0-3", "recipe": "r"}
    return GradedSheet(
        answer,
        Grade.model_validate(
            {**given, "sheet": answer.fingerprint, "scores": scores, "reasons": {"correctness": "Right."}}
        ),
    )


def test_answers_and_grades_are_exported_once_as_a_run_and_a_table_for_each_model(
    tmp_path: Path, tracking: Any
) -> None:
    folder = (tmp_path / "mlruns").as_uri()
    answers = [graded(n, model, score) for model, score in (("large", 3), ("small", 1)) for n in range(2)]
    assert export_answers(answers, "sheets.jsonl", Weights(), folder) == 2
    assert export_answers(answers, "sheets.jsonl", Weights(), folder) == 0
    again = [*answers[:2], graded(0, "small", 0), answers[3]]
    assert export_answers(again, "sheets.jsonl", Weights(), folder) == 1, "one of its grades is another"

    client = tracking.MlflowClient(tracking_uri=folder)
    runs = client.search_runs([client.get_experiment_by_name("auskunft-answers").experiment_id])
    large = next(found for found in runs if found.data.params["model"] == "large")
    assert (large.info.run_name, large.info.status) == ("sheets.jsonl: large", "FINISHED")
    assert large.data.params["preset"] == "naive"
    assert large.data.params["embedder.dims"] == "384"
    assert (large.data.metrics["composite"], large.data.metrics["answers"]) == (3.0, 2)
    [listed] = json.loads(large.data.tags["mlflow.loggedArtifacts"])
    assert listed == {"path": "answers.json", "type": "table"}
    table = json.loads(
        Path(client.download_artifacts(large.info.run_id, "answers.json", str(tmp_path))).read_text()
    )
    row = dict(zip(table["columns"], table["data"][0], strict=True))
    assert (row["question"], row["correctness"]) == ("When does pool 0 open?", 3)
    assert "Bring a towel." in row["context"]
    assert row["reasons"] == "correctness: Right."
    for name, of_graded in (("sheets.jsonl", "sheet"), ("grades.jsonl", "grade")):
        written = Path(client.download_artifacts(large.info.run_id, name, str(tmp_path))).read_text("utf-8")
        assert written.splitlines() == [getattr(each, of_graded).model_dump_json() for each in answers[:2]]
