"""Several processes on one index: each sees the others' commits; a killed one leaves nothing half-done."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.search.embedded import EmbeddedIndex
from app.search.embedded.searcher import Searcher
from app.search.types import Generation, QuerySpec
from tests.contracts.embedded_pages import RECIPE, embedded, remove, unit

EAST: Final = unit(1, 0, 0, 0)
OPEN_FILES: Final = Path("/proc/self/fd")
PRELUDE: Final = """
import sys, signal
from pathlib import Path
from app.search.embedded import EmbeddedIndex
from tests.contracts.embedded_pages import RECIPE, embedded, remove, unit

def swim(page_id, sequence=1, chunks=1):
    return embedded(page_id, sequence, content="Swimming", vectors={"content": [unit(1, 0, 0, 0)] * chunks})

index = EmbeddedIndex(Path(sys.argv[1]))
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    index = EmbeddedIndex(tmp_path)
    index.promote(index.create(RECIPE).number)
    yield index
    index.close()


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, script: str) -> None:
    process = start(folder, script)
    process.communicate(timeout=60)
    assert process.returncode == 0


def found(index: EmbeddedIndex) -> dict[str, int]:
    """Page id to sequence, by vectors and by words, which must agree."""
    scope = frozenset({"town"})
    near = index.search(QuerySpec(words=(), sources=scope, vector=EAST, k={"content": 99}, keyword="none"))
    having = index.search(QuerySpec(words=("swimming",), sources=scope, keyword_limit=99))
    pages = {candidate.page.ref.id: candidate.page.sequence for candidate in near}
    assert pages == {candidate.page.ref.id: candidate.page.sequence for candidate in having}
    return pages


def test_the_next_search_sees_what_another_process_saved_and_removed(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    index.write(1, [embedded(p, 1, content="Swimming", vectors={"content": [EAST]}) for p in "ab"])
    assert found(index) == {"a": 1, "b": 1}
    run(
        tmp_path,
        'index.write(1, [swim(page_id, 2, chunks=3) for page_id in "ac"])\nindex.write(1, [remove("b", 2)])',
    )
    assert found(index) == {"a": 2, "c": 2}


def test_the_next_search_uses_the_generation_that_another_process_promoted(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    index.write(1, [embedded("old", 1, content="Swimming", vectors={"content": [EAST]})])
    assert found(index) == {"old": 1}
    run(
        tmp_path,
        "number = index.create(RECIPE).number\n"
        'index.write(number, [swim("new")])\n'
        "index.promote(number)\n"
        "index.drop(1)",
    )
    assert found(index) == {"new": 1}
    assert [path.name for path in tmp_path.glob("generation-000001*")] == []


def test_a_question_meanwhile_promoted_and_dropped_under_is_answered_by_the_new_generation(
    index: EmbeddedIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = EmbeddedIndex(tmp_path)
    other.write(
        other.create(RECIPE).number, [embedded("new", content="Swimming", vectors={"content": [EAST]})]
    )
    find = index._live_searcher

    def find_late(live: Generation) -> Searcher:
        if live.number == 1:
            other.promote(2)
            other.drop(1)
        return find(live)

    monkeypatch.setattr(index, "_live_searcher", find_late)
    assert found(index) == {"new": 1}
    other.close()


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="open files are listed by Linux only")
def test_a_generation_that_another_process_dropped_takes_no_more_space(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    index.write(1, [embedded("old", content="Swimming", vectors={"content": [EAST]})])
    assert found(index) == {"old": 1}
    run(tmp_path, "index.promote(index.create(RECIPE).number)\nindex.drop(1)")
    assert found(index) == {}
    dropped = str(tmp_path / "generation-000001.sqlite")
    assert [name for name in map(os.readlink, open_files()) if name.startswith(dropped)] == []


def open_files() -> list[Path]:
    return [path for path in OPEN_FILES.iterdir() if path.is_symlink()]


def test_a_writer_killed_within_a_batch_leaves_nothing_of_it(index: EmbeddedIndex, tmp_path: Path) -> None:
    index.write(1, [embedded(p, 1, content="Swimming", vectors={"content": [EAST]}) for p in "ab"])
    writer = start(
        tmp_path,
        "class Batch(list):\n"
        "    def __iter__(self):\n"
        "        for number, update in enumerate(super().__iter__()):\n"
        "            if number == 300:\n"
        '                print("midway", flush=True)\n'
        "                signal.pause()\n"
        "            yield update\n"
        'pages = [remove("a", 2)] + [swim(f"p{i}", chunks=2000) for i in range(400)]\n'
        "index.write(1, Batch(pages))",
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "midway\n"
    assert found(index) == {"a": 1, "b": 1}
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate()
    assert found(index) == {"a": 1, "b": 1}
    assert index.write(1, [remove("a", 2)])[0].status == "written"
    assert found(index) == found(EmbeddedIndex(tmp_path)) == {"b": 1}


def test_processes_that_open_a_new_folder_and_write_at_once_all_succeed(tmp_path: Path) -> None:
    script = (
        "sys.stdin.readline()\n"
        'index = EmbeddedIndex(Path(sys.argv[1]) / "new")\n'
        "number = index.create(RECIPE).number\n"
        "for i in range(20):\n"
        "    for target in {1, number}:\n"
        '        index.write(target, [swim(f"{number}-{i}")])\n'
    )
    writers = [start(tmp_path, script) for _ in range(4)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * 4
    index = EmbeddedIndex(tmp_path / "new")
    assert [generation.number for generation in index.generations()] == [1, 2, 3, 4]
    assert len(list(index.refs(1))) == 80
    index.promote(1)
    assert len(found(index)) == 80
