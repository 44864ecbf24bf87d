"""``auskunft presets``, and what every command says about an operator's preset that is wrong."""

from pathlib import Path

import pytest

from app.presets.collection import Presets
from tests.fakes.command import Command

OURS = 'description = "Ours."\nextends = "default"\n[question]\nlimit = 5\nlinks = "none"\n'


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "ours.toml").write_text(OURS, "utf-8")
    return Command(tmp_path)


def test_every_preset_is_listed_with_where_it_is_from_and_what_it_does(command: Command) -> None:
    listed = {each["name"]: each for each in command.run("presets", "--json", preset="ours").json()}
    assert set(listed) == {*Presets().names(), "ours"}
    assert listed["ours"] == {
        "name": "ours",
        "from": str(command.folder / "presets" / "ours.toml"),
        "extends": "default",
        "description": "Ours.",
        "used": True,
    }
    assert (listed["default"]["from"], listed["default"]["used"]) == ("package", False)
    lines = command.run("presets", preset="ours").out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith(" *")] == ["ours"]
    assert all(
        each["description"] and any(each["description"] in line for line in lines) for each in listed.values()
    )


def test_a_preset_is_explained_by_what_it_does_otherwise(command: Command) -> None:
    explained = command.run("presets", "ours", "--json").json()
    assert (explained["against"], explained["extends"]) == ("default", "default")
    changed = {each["key"]: (each["value"], each["other"]) for each in explained["differences"]}
    links = Presets().load("default").question.links
    assert links
    assert changed == {
        "question.limit": (5, 10),
        **{f"question.links.{key}": (None, value) for key, value in links.model_dump().items()},
    }
    assert explained["embedders"]["e5"]["measured"] is True
    shown = command.run("presets", "ours").out
    assert [line.split() for line in shown.splitlines() if "question." in line][:2] == [
        ["question.limit", "5", "10"],
        ["question.links.hits", "-", "1"],
    ]
    assert "  e5: measured" in shown.splitlines()


def test_a_preset_may_be_compared_with_any_other(command: Command) -> None:
    assert command.run("presets", "ours", "--against", "ours", "--json").json()["differences"] == []
    assert "It is the same as ours." in command.run("presets", "ours", "--against", "ours").out
    rows = command.run("presets", "rtr", "--against", "eurlex", "--json").json()["differences"]
    assert {"key": "index.options.overlap", "value": None, "other": 80} in rows
    shown = command.run("presets", "rtr").out.splitlines()
    assert "  any other embedder: not measured, not in default" in shown
    assert [line for line in shown if "mpnet" in line] == [shown[-1]]
    assert shown[-1].startswith("only default has thresholds for ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nope"], "unknown preset 'nope'; known: contextual, default, "),
        (["ours", "--against", "nope"], "unknown preset 'nope'; known: contextual, default, "),
        (["--against", "ours"], "--against needs the NAME of a preset"),
    ],
)
def test_a_preset_that_is_not_there_is_told_in_one_line(
    command: Command, arguments: list[str], complaint: str
) -> None:
    assert complaint in command.run("presets", *arguments).complaint(2)


@pytest.mark.parametrize(
    "arguments", [["presets"], ["search", "pool"], ["serve"], ["worker"], ["index", "."]]
)
def test_a_wrong_preset_stops_every_command_before_anything_is_done(
    command: Command, arguments: list[str]
) -> None:
    (command.folder / "presets" / "bad.toml").write_text(
        'extends = "default"\n[question]\nlimt = 2\n', "utf-8"
    )
    complaint = command.run(*arguments, port=0).complaint(2)
    assert "bad.toml: unknown key 'question.limt': did you mean 'limit'?" in complaint
