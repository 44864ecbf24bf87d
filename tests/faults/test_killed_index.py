"""SIGKILL during ``auskunft index`` at moments spread over a run: a repeat finishes the job.

``AUSKUNFT_KILLS`` sets how many (default 6), ``AUSKUNFT_SEED`` the moments and the edits.
"""

import logging
import os
import signal
import subprocess
import time
from pathlib import Path
from random import Random
from typing import Final

import pytest

from app.pages.database import open_engine, sqlite_url
from app.pages.store import PageStore
from app.pages.types import PageState
from tests.fakes.command import Command, Finished, finished
from tests.fakes.installation import check_and_read, find
from tests.fakes.processes import wait_for_end_of_group
from tests.fakes.site import word, write_page, write_site

KILLS: Final = int(os.environ.get("AUSKUNFT_KILLS", "6"))
SEED: Final = int(os.environ.get("AUSKUNFT_SEED", "20261121"))
PAGES: Final = 60
EDITED_PAGES: Final = 40

log = logging.getLogger(__name__)


def test_a_killed_run_is_finished_by_a_repeat_and_nothing_is_lost_doubled_or_torn(tmp_path: Path) -> None:
    random = Random(SEED)
    write_site(tmp_path / "site", PAGES, random)
    started = time.monotonic()
    assert Command(tmp_path, data=tmp_path / "first").run("index", "site").code == 0
    seconds = time.monotonic() - started
    command = Command(tmp_path)

    moments = [seconds * (number + random.random()) / KILLS for number in range(KILLS)]
    random.shuffle(moments)
    kills = 0
    for moment in moments:
        kills += _was_killed(command, moment)
        for number in random.sample(range(PAGES), EDITED_PAGES):  # so that every run has work
            write_page(tmp_path / "site", number, random)
    assert kills >= KILLS // 2

    result = _index(command)
    assert (result.code, result.err) == (0, "")
    assert command.run("index", "site").out.startswith(f"0 indexed, {PAGES} unchanged, 0 failed")
    assert _index(Command(tmp_path, data=tmp_path / "fresh")).code == 0
    survived = check_and_read(command.data)
    assert len(survived) == PAGES
    assert survived == check_and_read(tmp_path / "fresh")
    pages = [path.name for path in sorted((tmp_path / "site").iterdir())]
    assert find(command.data, [word(number) for number in range(PAGES)]) == [[name] for name in pages]


@pytest.mark.parametrize(
    "file", ["pages.sqlite", "index/catalog.sqlite", "index/generation-000001.sqlite", "workers"]
)
def test_a_run_killed_while_it_makes_the_data_folder_is_finished_by_a_repeat(
    tmp_path: Path, file: str
) -> None:
    command = Command(tmp_path)
    write_site(tmp_path / "site", 2, Random(SEED))
    process = command.start("index", "site")
    while not (command.data / file).exists():
        assert process.poll() is None
        time.sleep(0.001)  # leaves it the processor
    process.kill()
    finished(process)
    result = command.run("index", "site")
    assert (result.code, result.err) == (0, "")
    assert len(check_and_read(command.data)) == 2


def _index(command: Command) -> Finished:
    """Index in a process of its own like the killed ones: in a forked one the last bit of a vector, which
    depends on where memory lies, may be another."""
    return finished(command.start("index", "site"))


def _was_killed(command: Command, moment: float) -> bool:
    """Kill a run after ``moment`` seconds; whether it was still running. Its children end by themselves."""
    process = command.start("index", "site")
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.kill()
    finished(process)
    wait_for_end_of_group(process.pid)
    log.info("ended with %s after %.2f s: %s", process.returncode, moment, _states(command.data))
    return process.returncode == -signal.SIGKILL


def _states(data: Path) -> dict[PageState, int]:
    file = data / "pages.sqlite"
    return PageStore(open_engine(sqlite_url(file))).counts() if file.exists() else {}
