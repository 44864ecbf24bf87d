"""``auskunft runs``."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fakes.command import Command


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    path.write_text(json.dumps({"question": "When does the swimming pool open?", "gold": ["pool.html"]}))
    return path


def test_every_evaluation_is_kept_until_it_is_deleted(town: Command, pool: Path) -> None:
    measured = [town.run("evaluate", pool, "--json").json() for _ in range(2)]
    numbers = [each.pop("run") for each in measured]
    first, second = numbers
    listed = town.run("runs", "--json").json()
    assert [each["run"] for each in listed[:2]] == [second, first]
    configuration = listed[0]["configuration"]
    assert (configuration["preset"], configuration["sources"]) == ("default", ["town"])
    assert configuration["embedder"]["name"] == "hashing"
    assert listed[0]["pool_hash"] == listed[1]["pool_hash"]
    table = [line.split() for line in town.run("runs").out.splitlines()]
    assert [(row[0], row[3]) for row in table[1:3]] == [(str(second), "default"), (str(first), "default")]
    shown = town.run("runs", "show", str(first), "--json").json()
    assert {name: shown[name] for name in measured[0]} == measured[0]
    assert "hit@1" in town.run("runs", "show", str(first), "--show", "3").out
    for number in numbers:
        assert town.run("runs", "delete", str(number)).out == f"run {number} is deleted\n"
    assert {each["run"] for each in town.run("runs", "--json").json()}.isdisjoint(numbers)


def test_a_kept_run_is_written_as_a_report(town: Command, pool: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    run = town.run("evaluate", pool, "--report", first, "--json").json()["run"]
    shown = town.run("runs", "show", str(run), "--report", second, "--language", "en", "--json")
    assert (shown.code, shown.json()["run"]) == (0, run)
    assert second.read_text("utf-8") == first.read_text("utf-8")
    refused = town.run("runs", "show", str(run), "--report", tmp_path / "no" / "report.html")
    assert "cannot be written" in refused.complaint(2)


@pytest.mark.parametrize(
    "arguments", [("show", "999"), ("delete", "999"), ("export", "999", "--mlflow", "x")]
)
def test_an_unknown_run_is_refused(indexed: Command, arguments: tuple[str, ...]) -> None:
    said = indexed.run("runs", *arguments).complaint(2)
    assert said == "auskunft: there is no run 999: `auskunft runs` lists those that are kept"


@pytest.mark.skipif(find_spec("mlflow") is not None, reason="MLflow is installed")
def test_without_mlflow_an_export_says_how_to_install_it(town: Command, pool: Path) -> None:
    town.run("evaluate", pool)
    said = town.run("runs", "export", "--mlflow", "here").complaint(2)
    assert said == "auskunft: MLflow is not installed: pip install 'auskunft[mlflow]'"
