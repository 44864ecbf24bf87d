"""One kind of background work: what makes it rest."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.background.steps import BackgroundStep, run_all
from app.errors import IndexUnavailableError
from app.indexing.stopping import Stop, never
from app.pages.database import open_engine
from app.pages.step_faults import SHOWN, StepFaults
from tests.contracts.page_store.helpers import Clock
from tests.fakes.databases import new_sqlite


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def faults(tmp_path: Path, clock: Clock) -> Iterator[StepFaults]:
    engine = open_engine(new_sqlite(tmp_path / "pages.sqlite"))
    yield StepFaults(engine, clock)
    engine.dispose()


@pytest.mark.parametrize("error", [IndexUnavailableError("away"), MemoryError()])
def test_it_rests_after_what_may_end_by_itself(error: Exception) -> None:
    tried = []

    def fail(stop: Stop) -> bool:
        tried.append(stop)
        raise error

    step = BackgroundStep("work", fail, rest_seconds=60)
    assert (step(never), step(never)) == (False, False)
    assert len(tried) == 1


def test_a_fault_that_nobody_expected_is_logged_and_kept_and_ends_nothing(faults: StepFaults) -> None:
    tried = []

    def fail(stop: Stop) -> bool:
        tried.append(stop)
        raise ZeroDivisionError("division\nby zero")

    step = BackgroundStep("work", fail, rest_seconds=60, faults=faults)
    with capture_logs() as logs:
        assert (step(never), step(never)) == (False, False)
    assert len(tried) == 1
    assert [(line["event"], line["exc_info"]) for line in logs] == [("work_broke", True)]
    [fault] = faults.recent()
    assert (fault.step, fault.problem) == ("work", "ZeroDivisionError: division by zero")


def test_the_last_fault_of_a_step_is_reported_for_a_day(faults: StepFaults, clock: Clock) -> None:
    faults.note("work", "first")
    faults.note("work", "second")
    assert [fault.problem for fault in faults.recent()] == ["second"]
    clock.advance(SHOWN.total_seconds())
    assert faults.recent() == []


def test_a_part_that_fails_keeps_no_other_from_running() -> None:
    ran: list[int] = []

    def broken() -> None:
        raise ZeroDivisionError

    def away() -> None:
        raise IndexUnavailableError("away")

    with capture_logs() as logs, pytest.raises(ZeroDivisionError):
        run_all([partial(ran.append, 1), broken, away, partial(ran.append, 2)])
    assert ran == [1, 2]
    assert [line["event"] for line in logs] == ["part_failed_too"]
