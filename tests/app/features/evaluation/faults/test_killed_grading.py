"""SIGKILL while real answers are graded: what is there is kept, nothing is graded twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from app.chat.conversations import Conversations
from app.features.evaluation.live_quality import day_to_grade
from app.features.evaluation.services import EvaluationServices
from app.indexing.stopping import never
from app.pages.database import utc_now
from app.services import Services
from app.settings.settings import Settings
from tests.app.features.evaluation.faults.test_killed_judge import PARALLEL, Gate
from tests.fakes.databases import new_data
from tests.fakes.llm import FakeLlm

ANSWERS = 20
PROGRAM = """
from app.indexing.stopping import never
from app.services import Services
from app.settings.settings import load_settings

with Services(load_settings()) as services:
    while services.background.features.run("live_quality", never):
        pass
"""


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


def test_a_killed_worker_is_followed_by_one_that_grades_the_rest_at_once(
    tmp_path: Path, llm: FakeLlm
) -> None:
    judge = {"model": "judge", "base_url": llm.base_url, "live_answers": ANSWERS, "parallel": PARALLEL}
    settings = Settings.model_validate(
        {"data": new_data(tmp_path), "embedder": "hashing", "judge": judge, "retry_seconds": 0.1}
    )
    given = {f"AUSKUNFT_JUDGE__{name.upper()}": str(value) for name, value in judge.items()}
    environment = {**os.environ, **given, "AUSKUNFT_DATA": str(tmp_path), "AUSKUNFT_EMBEDDER": "hashing"}
    then = datetime.combine(day_to_grade(utc_now()), time(12), UTC)
    llm.answer = gate = Gate(passes=ANSWERS // 2)
    with Services(settings) as services:
        kept = Conversations(services.engine, lambda: then)
        for number in range(ANSWERS):
            begun = kept.begin("town", "When does it open?")
            document = {"answer": f"Number {number}. =3", "status": "answered"}
            kept.finish(begun.answer, document, ["Pool\n\nAt nine."])
        process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment)
        assert gate.reached.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        before = services.feature(EvaluationServices).stored.since(then.date())
        assert ANSWERS // 2 - PARALLEL <= len(before) <= ANSWERS // 2

        gate.open()
        services.release_dead()
        while services.background.features.run("live_quality", never):
            pass
        after = services.feature(EvaluationServices).stored.since(then.date())
    assert len(after) == ANSWERS
    grades = {each.id: each.grade for each in after}
    assert all(grades[each.id] == each.grade for each in before)
    assert gate.asked.total() - ANSWERS <= PARALLEL, "only what was under way is asked for again"
