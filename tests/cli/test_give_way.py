"""Which commands leave the processor to the server."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.cli.common import NICENESS


@pytest.fixture
def niceness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """That of this process, which nothing could lower again, if it were raised."""
    raised = [0]

    def nice(increment: int) -> int:
        raised[0] += increment
        return raised[0]

    monkeypatch.setattr(os, "nice", nice)
    monkeypatch.setenv("AUSKUNFT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("AUSKUNFT_EMBEDDER", "hashing")
    return raised


@pytest.mark.parametrize(
    "command",
    [
        "index absent",
        "pull absent",
        "reindex --source absent",
        "rollback 99",
        "reconcile --source absent",
    ],
)
def test_commands_that_import_leave_the_processor_to_the_server(niceness: list[int], command: str) -> None:
    CliRunner().invoke(cli, command.split())
    assert niceness == [NICENESS]


@pytest.mark.parametrize("command", ["search pool", "status", "pages"])
def test_others_do_not(niceness: list[int], command: str) -> None:
    CliRunner().invoke(cli, command.split())
    assert niceness == [0]


def test_one_that_was_started_with_nice_leaves_no_more_than_that(niceness: list[int]) -> None:
    niceness[0] = 15
    CliRunner().invoke(cli, ["rollback", "99"])
    assert niceness == [15]
