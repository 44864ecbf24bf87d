"""What long commands say while they work."""

import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from app.cli.progress import RemainingTime, sentence
from app.indexing.progress import Progress
from tests.fakes.command import PROGRAM, SECONDS, Command, finished
from tests.fakes.faults_plugin import started_with

HALF: Final = Progress(done=12, total=40, chunks=310, total_chunks=1_050, is_exact=False, computed=310)

SLOW: Final = """
if "ingest.converters.child" not in sys.orig_argv:
    import app.cli.progress
    from ingest.embedders.hashing import HashingEmbedder

    app.cli.progress.LINE_SECONDS = 0.05
    quick = HashingEmbedder.embed_documents

    def slow(self, texts):
        time.sleep(0.05 * len(texts))
        return quick(self, texts)

    HashingEmbedder.embed_documents = slow
"""
"""The embedder takes its time, and lines come more often than every ten seconds."""


@pytest.mark.parametrize(
    ("progress", "seconds", "text"),
    [
        (HALF, 100.0, "12 of 40 pages, 310 of about 1,050 chunks, about 2 min left"),
        (HALF, None, "12 of 40 pages, 310 of about 1,050 chunks"),
        (HALF, 20.0, "12 of 40 pages, 310 of about 1,050 chunks, less than 1 min left"),
        (HALF, 9_000.0, "12 of 40 pages, 310 of about 1,050 chunks, about 2.5 h left"),
        (Progress(done=1, total=1, chunks=7, total_chunks=9), None, "1 of 1 pages, 7 of 9 chunks"),
        (Progress(done=1_200, unit="documents"), None, "1,200 documents"),
    ],
)
def test_progress_is_a_sentence(progress: Progress, seconds: float | None, text: str) -> None:
    assert sentence(progress, seconds) == text


def test_the_time_that_is_left_follows_from_the_speed_of_new_chunks() -> None:
    now = 0.0
    remaining = RemainingTime(lambda: now)
    known = Progress(done=0, total=10, chunks=800, total_chunks=1_000, is_exact=False)
    assert remaining.seconds("indexing", known) is None
    now = 10.0
    later = Progress(done=0, total=10, chunks=850, total_chunks=1_000, is_exact=False, computed=50)
    assert remaining.seconds("indexing", later) == pytest.approx(30)
    assert remaining.seconds("reading", Progress(done=3, unit="documents")) is None


def test_in_a_pipe_there_is_a_line_now_and_then_and_nothing_on_standard_output(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "site").mkdir()
    for number in range(3):
        (tmp_path / "site" / f"{number}.md").write_text(f"# Page {number}\n\nText of page {number}.\n")
    path = {"PYTHONPATH": str(started_with(tmp_path / "start", SLOW))}
    done = finished(command.start("index", "site", extra=path))
    assert done.code == 0
    assert done.out.splitlines() == [done.out.strip()]
    assert done.out.startswith("3 indexed")
    *lines, last = done.err.splitlines()
    assert any(re.fullmatch(r"indexing: 0 of 3 pages, 0 of \d+ chunks", line) for line in lines)
    assert re.fullmatch(r"indexing: 3 of 3 pages, (\d+) of \1 chunks, \d+ s in all", last)


def test_in_a_terminal_there_is_a_bar_which_moves_with_the_chunks(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "page.md").write_text(" ".join(f"word{number}" for number in range(10_000)))
    path = {"PYTHONPATH": str(started_with(tmp_path / "start", SLOW)), "TERM": "xterm", "COLUMNS": "120"}
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "index", "page.md"],
        cwd=tmp_path,
        env=command.environment() | path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=inside,
    )
    os.close(inside)
    shown = b""
    try:
        while piece := os.read(terminal, 65_536):
            shown += piece
    except OSError:  # the terminal is closed
        pass
    out, _ = process.communicate(timeout=SECONDS)
    assert out.startswith(b"1 indexed")
    assert b"0 of 1 pages, 0 of " in shown
    assert re.search(rb"0 of 1 pages, [1-9]\d* of ", shown)
