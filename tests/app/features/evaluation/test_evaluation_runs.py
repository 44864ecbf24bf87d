"""Runs of evaluations, in every database."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from app.errors import NotFoundError
from app.features.evaluation import evaluation_runs
from app.features.evaluation.evaluation_runs import EvaluationRuns
from app.pages.database import open_engine
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON

RESULTS = [{"question": "Wo?\ud800\0"}, {"question": "Wann?"}]


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def runs(engine: Engine) -> EvaluationRuns:
    return EvaluationRuns(engine)


def test_a_run_comes_back_as_it_went_in(runs: EvaluationRuns) -> None:
    number = runs.add(NOON, {"label": "default"}, RESULTS)
    run = runs.get(number)
    assert (run.number, run.started_at, run.document) == (number, NOON, {"label": "default"})
    assert run.results == RESULTS


def test_runs_are_listed_newest_first_without_their_results(runs: EvaluationRuns) -> None:
    numbers = [runs.add(NOON + timedelta(hours=n), {"n": n}, RESULTS) for n in range(3)]
    assert [run.number for run in runs.all()] == numbers[::-1]
    assert [(run.document, run.results) for run in runs.all()] == [({"n": n}, ()) for n in (2, 1, 0)]


def test_the_oldest_runs_are_deleted(runs: EvaluationRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_runs, "KEPT", 2)
    numbers = [runs.add(NOON, {}, RESULTS) for _ in range(4)]
    assert [run.number for run in runs.all()] == numbers[:1:-1]


def test_a_run_is_deleted_and_its_number_not_given_again(runs: EvaluationRuns) -> None:
    number = runs.add(NOON, {}, [])
    runs.delete(number)
    assert runs.all() == []
    assert runs.add(NOON, {}, []) == number + 1
    for ask in (runs.get, runs.delete):
        with pytest.raises(NotFoundError, match=f"no run {number}: `auskunft runs`"):
            ask(number)


def test_runs_that_end_at_once_are_all_kept(runs: EvaluationRuns) -> None:
    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(lambda n: runs.add(NOON, {"n": n}, RESULTS), range(8)))
    assert {run.number: run.document["n"] for run in runs.all()} == dict(zip(numbers, range(8), strict=True))
