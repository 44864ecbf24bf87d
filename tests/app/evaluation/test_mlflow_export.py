"""Runs copied to MLflow, into a folder."""

import json
from pathlib import Path

import pytest

from app.evaluation.mlflow_export import export_run, metrics, parameters
from tests.app.evaluation.results import result, run

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


def test_a_run_is_exported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing of it may ask other hosts, and folders are kept apart from its databases.
    for name in ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK", "MLFLOW_ALLOW_FILE_STORE"):
        monkeypatch.setenv(name, "true")
    tracking = pytest.importorskip("mlflow.tracking", reason="needs MLflow: pip install mlflow-skinny")
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
