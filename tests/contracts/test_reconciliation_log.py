"""Reports of reconciliations, and making pages due again, in every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.reconciliations import KEPT, Reconciliation, ReconciliationLog
from app.pages.store import PageStore
from app.pages.types import Failed
from ingest.types import PageRef
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock, claim_one, index, state
from tests.contracts.raw_pages import delete, ref, save


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> PageStore:
    return PageStore(engine, clock=Clock())


@pytest.fixture
def log(engine: Engine) -> ReconciliationLog:
    return ReconciliationLog(engine)


def sequences(store: PageStore) -> dict[PageRef, int]:
    return {version.ref: version.sequence for version in store.versions()}


def test_a_report_comes_back_as_it_went_in(log: ReconciliationLog) -> None:
    report = Reconciliation(
        started_at=NOON,
        finished_at=NOON,
        generation=7,
        pages=40,
        counts={"missing": 1},
        examples={"missing": ["town/p1 (de)"]},
        sources={"town": "40 listed"},
        repaired=True,
        problem="a problem\ud800",
    )
    log.add(report)
    report.problem = "a problem\ufffd"
    assert (log.last(), log.all()) == (report, [report])


def test_a_report_can_be_completed_later(log: ReconciliationLog) -> None:
    report = Reconciliation(started_at=NOON)
    number = log.add(report)
    log.add(Reconciliation(started_at=NOON, generation=2))
    report.sources["town"] = "40 listed"
    log.amend(number, report)
    assert [found.sources for found in log.all()] == [{}, {"town": "40 listed"}]


def test_the_last_reports_are_kept_newest_first(log: ReconciliationLog) -> None:
    assert log.last() is None
    for number in range(KEPT + 2):
        log.add(Reconciliation(started_at=NOON, generation=number))
    assert [report.generation for report in log.all()] == list(range(KEPT + 1, 1, -1))


def test_pages_at_rest_are_made_due_again_after_all_that_somebody_waits_for(
    store: PageStore, log: ReconciliationLog
) -> None:
    store.accept([save("a"), save("b")], priority=1)
    store.accept([delete("b")])
    index(store)
    assert sorted(log.requeue(sequences(store))) == [ref("a"), ref("b")]
    assert (state(store, ref("a")), store.pending()) == ("pending", 2)
    store.accept([save("c")], priority=1)
    assert [page.id for page in index(store)][:1] == ["c"]
    assert log.still_at_rest(sequences(store)) == {ref("a"), ref("b"), ref("c")}


def test_pages_that_are_not_at_rest_or_have_moved_on_stay_as_they_are(
    store: PageStore, log: ReconciliationLog, engine: Engine
) -> None:
    store.accept([save("failed")])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Failed(reason="too_large", message="cut it"))], "w")
    store.accept([save("moved"), save("again")])
    index(store)
    known = sequences(store)
    store.accept([save("moved", "edited")])
    index(store)
    log.requeue({ref("again"): known[ref("again")]})
    store.accept([save("new")])
    rows = list(PageList(engine).records())
    known |= {ref("new"): sequences(store)[ref("new")], ref("nobody"): 1}
    assert log.still_at_rest(known) == set()
    assert log.requeue(known) == []
    assert list(PageList(engine).records()) == rows
