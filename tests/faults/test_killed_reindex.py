"""``auskunft reindex`` beside another one, killed or interrupted at half.

The old generation serves on, and the next command leaves nothing over.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest

from app.pages.builds import Builds
from app.pages.database import open_engine, sqlite_url, utc_now
from tests.fakes.command import SECONDS, Command, finished
from tests.fakes.installation import check_and_read, find
from tests.fakes.plugin import hanging_plugin
from tests.fakes.processes import running_in_group, wait_for_end_of_group
from tests.fakes.site import word, write_site

PAGES: Final = 40
HANGING: Final = "020-hangs.md"
"""In the order of pages this one comes in the second batch."""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """An indexed site. One page's converter hangs where the plugin is installed."""
    write_site(tmp_path / "site", PAGES, Random(5))
    (tmp_path / "site" / HANGING).write_text("This page makes its parser hang forever.\n")
    command = Command(tmp_path)
    assert command.run("index", "site").code == 0
    return command


@contextmanager
def hanging_reindex(command: Command) -> Iterator["subprocess.Popen[bytes]"]:
    """A rebuild that has written its first batch and goes no further."""
    plugins = hanging_plugin(command.folder / "plugins")
    process = command.start("reindex", extra={"PYTHONPATH": str(plugins)})
    engine = open_engine(sqlite_url(command.data / "pages.sqlite"))
    builds = Builds(engine, utc_now)
    deadline = time.monotonic() + SECONDS
    while not (builds.current() and len(running_in_group(process.pid)) > 1):
        assert process.poll() is None, finished(process)
        assert time.monotonic() < deadline
        time.sleep(0.05)
    engine.dispose()
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # the child that hangs, too
    finished(process)
    wait_for_end_of_group(process.pid)


def files(command: Command) -> set[str]:
    """The files of generations."""
    return {path.name for path in (command.data / "index").iterdir() if path.name.startswith("generation")}


def serves(command: Command) -> bool:
    """Whether every page is found."""
    ids = find(command.data, [word(number) for number in range(PAGES)])
    return [[f"{number:03}" for number in range(PAGES)]] == [[found[0][:3] for found in ids]]


def test_a_second_reindex_is_refused_and_the_old_generation_serves_both(command: Command) -> None:
    with hanging_reindex(command):
        said = command.run("reindex").complaint(2)
        assert "generation 2 has been under construction since" in said
        assert "generation 2 has been under construction since" in command.run("rollback").complaint(2)
        assert serves(command)
        assert command.run("index", "site").out.startswith(f"0 indexed, {PAGES + 1} unchanged, 0 failed")
        assert "generation-000002.sqlite" in files(command)


@pytest.mark.parametrize("next_command", [("index", "site"), ("reindex",), ("rollback",), ("generations",)])
def test_after_a_kill_the_old_generation_serves_and_the_next_command_cleans_up(
    command: Command, next_command: tuple[str, ...]
) -> None:
    with hanging_reindex(command) as process:
        process.kill()
    assert serves(command)
    assert "generation-000002.sqlite" in files(command)
    assert "under construction" not in command.run("status").out
    result = command.run(*next_command)
    assert result.code == (2 if next_command == ("rollback",) else 0), result
    left = {name for name in files(command) if name.startswith("generation-000002")}
    assert left == set()
    assert serves(command)
    if next_command == ("index", "site"):
        assert len(check_and_read(command.data)) == PAGES + 1


def test_after_a_kill_the_server_cleans_up_when_it_starts(command: Command) -> None:
    with hanging_reindex(command) as process:
        process.kill()
    server = command.start("serve", "--port", "0")
    assert server.stdout is not None
    assert server.stdout.readline().startswith(b"Auskunft serves at")
    left = {name for name in files(command) if name.startswith("generation-000002")}
    server.terminate()
    finished(server)
    assert left == set()


def test_an_interrupted_reindex_cleans_up_at_once(command: Command) -> None:
    with hanging_reindex(command) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
    assert {name.partition(".")[0] for name in files(command)} == {"generation-000001"}
    assert serves(command)
    assert command.run("reindex").code == 0
