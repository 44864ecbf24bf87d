"""Ctrl-C during ``auskunft index``."""

import signal
import time
from pathlib import Path

import pytest

from app.pages.database import open_engine, sqlite_url
from app.pages.store import PageStore
from tests.fakes.command import Command, finished
from tests.fakes.plugin import hanging_plugin
from tests.fakes.processes import running_in_group, wait_for_end_of_group


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page.md").write_text("This page makes its parser hang forever.\n")
    return Command(tmp_path)


def test_an_interrupted_run_says_so_leaves_no_process_and_counts_no_attempt(command: Command) -> None:
    path = {"PYTHONPATH": str(hanging_plugin(command.folder / "plugins"))}
    process = command.start("index", "site", extra=path)
    while len(running_in_group(process.pid)) < 2:  # until the converting child runs
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    result = finished(process)
    assert (result.code, result.out) == (130, "")
    assert result.err.strip() == "interrupted; run the command again to go on"
    wait_for_end_of_group(process.pid)

    store = PageStore(open_engine(sqlite_url(command.data / "pages.sqlite")))
    [claim] = store.claim(1, "another worker")
    assert claim.attempts == 1
    store.release("another worker")
    assert command.run("index", "site").out.startswith("1 indexed, 0 unchanged, 0 failed")
