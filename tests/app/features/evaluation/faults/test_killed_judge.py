"""SIGKILL, Ctrl-C and SIGTERM while answers are graded: what is there is kept, nothing is graded twice."""

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.features.evaluation.grades import load_grades
from tests.app.features.evaluation.judge import asked_about, grades_by_number, sheet, write_sheets
from tests.fakes.command import Command, finished
from tests.fakes.llm import FakeLlm, Reply
from tests.fakes.processes import wait_for_end_of_group

SHEETS = 60
PARALLEL = 4


class Gate:
    """Lets a judge give so many grades, then none until it is opened."""

    def __init__(self, passes: int) -> None:
        self._passes = passes
        self._lock = threading.Lock()
        self.reached = threading.Event()
        self.asked: Counter[str] = Counter()

    def __call__(self, request: dict[str, Any]) -> Reply:
        with self._lock:
            self.asked[asked_about(request)] += 1
            self._passes -= 1
            if self._passes >= 0:
                return grades_by_number(request)
            self.reached.set()
        return Reply(silent=True)

    def open(self) -> None:
        """Let it give all."""
        self._passes = 1_000_000


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_resumes_without_grading_twice(tmp_path: Path, llm: FakeLlm, number: int) -> None:
    answers = [sheet(each, answer=f"Number {each}. =3") for each in range(SHEETS)]
    write_sheets(tmp_path / "sheets.jsonl", *answers)
    settings: dict[str, Any] = {
        "judge__base_url": llm.base_url,
        "judge__model": "judge",
        "judge__parallel": PARALLEL,
    }
    command = Command(tmp_path, **settings)
    llm.answer = gate = Gate(passes=SHEETS // 2)
    process = command.start("judge", "sheets.jsonl")
    assert gate.reached.wait(60)
    process.send_signal(number)
    ended = finished(process)
    assert ended.code == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    wait_for_end_of_group(process.pid)
    kept = load_grades(tmp_path / "sheets.criteria.jsonl")
    assert len(kept) >= SHEETS // 2 - PARALLEL

    gate.open()
    done = command.run("judge", "sheets.jsonl")
    assert done.code == 0, done
    grades = load_grades(tmp_path / "sheets.criteria.jsonl")
    assert sorted(grade.sheet for grade in grades) == sorted(each.fingerprint for each in answers)
    assert grades[: len(kept)] == kept
    assert gate.asked.total() - SHEETS <= 2 * PARALLEL, "only what was under way is asked for again"
