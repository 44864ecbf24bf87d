"""``auskunft sheets`` with another preset than the installation's."""

import json
from pathlib import Path

import pytest

from app.features.evaluation.sheets import AnswerSheet, load_sheets
from tests.fakes.command import Command

PAGE = " ".join(f"Rule {number} of the pool is that guests number {number} swim." for number in range(120))
POOL = [
    {"id": "q1", "question": "Which is rule 60 of the pool?", "gold": ["rules.md"]},
    {"id": "q2", "question": "Which guests swim by rule 90?", "gold": ["rules.md"]},
]


def indexed_with(preset: str, folder: Path) -> Command:
    """An installation that cut its page with ``preset``."""
    (folder / "site").mkdir(parents=True)
    (folder / "site" / "rules.md").write_text(PAGE, "utf-8")
    (folder / "pool.jsonl").write_text("\n".join(map(json.dumps, POOL)))
    command = Command(folder, preset=preset)
    assert command.run("index", "site", "--source", "town").code == 0
    return command


def sheets_of(command: Command, *options: str) -> list[AnswerSheet]:
    out = command.folder / "sheets.jsonl"
    out.unlink(missing_ok=True)
    finished = command.run("sheets", "pool.jsonl", "--out", "sheets.jsonl", *options)
    assert finished.code == 0, finished.err
    return load_sheets(out)


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return indexed_with("default", tmp_path_factory.mktemp("default"))


@pytest.mark.parametrize("preset", ["naive", "rtr", "eurlex", "egocms", "contextual"])
def test_sheets_of_another_preset_are_cut_as_an_installation_of_that_preset_cuts(
    default: Command, tmp_path: Path, preset: str
) -> None:
    own = indexed_with(preset, tmp_path)
    found, wanted = sheets_of(default, "--preset", preset), sheets_of(own)
    assert [each.context for each in found] == [each.context for each in wanted]
    assert all(each.context for each in found)
    assert {each.configuration["preset"] for each in found} == {preset}
