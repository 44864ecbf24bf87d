"""Two ``auskunft index`` runs of the same folder at once: both succeed, every page is indexed once."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

from tests.fakes.command import Command, finished
from tests.fakes.installation import check_and_read, find
from tests.fakes.site import word, write_page, write_site

PAGES: Final = 60
SUMMARY: Final = re.compile(r"(\d+) indexed, (\d+) unchanged, 0 failed in ")


def test_two_runs_at_once_both_succeed_and_every_page_is_indexed_once(tmp_path: Path) -> None:
    command, random = Command(tmp_path), Random(7)
    write_site(tmp_path / "site", PAGES, random)
    _run_twice_at_once(command)
    assert _writes(command.data) == PAGES
    for number in range(0, PAGES, 2):
        write_page(tmp_path / "site", number, random)
    _run_twice_at_once(command)
    assert _writes(command.data) == PAGES + PAGES // 2

    assert len(check_and_read(command.data)) == PAGES
    assert all(len(ids) == 1 for ids in find(command.data, [word(number) for number in range(PAGES)]))


def test_two_runs_of_different_folders_at_once_both_go_in(tmp_path: Path) -> None:
    command = Command(tmp_path)
    write_site(tmp_path / "north", 10, Random(1))
    write_site(tmp_path / "south", 10, Random(2))
    runs = [command.start("index", name, "--source", name) for name in ("north", "south")]
    for result in [finished(run) for run in runs]:
        assert result.code == 0
        # Work of more than ten seconds says how far it is.
        assert [line for line in result.err.splitlines() if not line.startswith("indexing: ")] == []
        assert result.out.startswith("10 indexed, 0 unchanged, 0 failed")
    assert {source for source, _, _ in check_and_read(command.data)} == {"north", "south"}


def _run_twice_at_once(command: Command) -> None:
    runs = [command.start("index", "site") for _ in range(2)]
    for result in [finished(run) for run in runs]:
        assert result.code == 0
        # Work of more than ten seconds says how far it is.
        assert [line for line in result.err.splitlines() if not line.startswith("indexing: ")] == []
        summary = SUMMARY.match(result.out)
        assert summary
        assert sum(map(int, summary.groups())) == PAGES


def _writes(data: Path) -> int:
    """How many pages have been written to the index since it was made."""
    [generation] = (data / "index").glob("generation-*.sqlite")
    with closing(sqlite3.connect(generation)) as connection:
        [[written]] = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
    return int(written)
