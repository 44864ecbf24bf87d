"""The lease of a rebuild and the claims of its pages, on every database."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import Engine

from app.errors import ConflictError
from app.pages.builds import Builds
from app.pages.rebuilds import AttemptResult, RebuildLog
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome, Waiting
from tests.contracts.page_store.helpers import Clock
from tests.contracts.raw_pages import ref, save

EMPTY = Failed(reason="empty", message="no text")


@pytest.fixture
def log(engine: Engine, clock: Clock) -> RebuildLog:
    return RebuildLog(engine, clock, lease_seconds=100)


def record(log: RebuildLog, worker: str, **outcomes: Outcome) -> None:
    log.record(
        worker, {ref(name): AttemptResult(sequence=1, outcome=outcome) for name, outcome in outcomes.items()}
    )


def claim(log: RebuildLog, worker: str = "w") -> list[str]:
    return [page_ref.id for page_ref in log.claim(worker, 10)]


def start(store: PageStore, log: RebuildLog, *names: str) -> str:
    """A rebuild that has to write these pages."""
    store.accept([save(name) for name in names])
    rebuild = log.request()
    log.begin(rebuild.id, 2)
    return rebuild.id


def test_one_worker_has_a_rebuild_until_it_releases_it_or_is_silent_too_long(
    log: RebuildLog, clock: Clock
) -> None:
    rebuild = log.request().id
    assert (log.hold(rebuild, "first"), log.hold(rebuild, "first")) == (True, True)
    clock.advance(99)
    assert not log.hold(rebuild, "second")
    log.renew(rebuild, "first")
    clock.advance(99)
    assert not log.hold(rebuild, "second")
    clock.advance(1)
    assert log.hold(rebuild, "second")
    with pytest.raises(ConflictError, match="another worker"):
        log.renew(rebuild, "first")
    log.release(rebuild, "first")
    assert not log.hold(rebuild, "first")
    log.release(rebuild, "second")
    assert log.hold(rebuild, "first")


def test_of_workers_that_ask_at_once_one_gets_the_rebuild(log: RebuildLog) -> None:
    rebuild, together = log.request().id, Barrier(8)

    def holds(number: int) -> bool:
        together.wait()
        return log.hold(rebuild, f"w{number}")

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(holds, range(8))) == [False] * 7 + [True]


def test_a_rebuild_that_has_ended_cannot_be_had(log: RebuildLog) -> None:
    rebuild = log.request().id
    assert log.hold(rebuild, "w")
    log.finish(rebuild, "done")
    assert not log.hold(rebuild, "w")


def test_a_dead_worker_releases_its_rebuild_and_the_pages_it_had_claimed(
    store: PageStore, log: RebuildLog
) -> None:
    rebuild = start(store, log, "a", "b")
    assert log.hold(rebuild, "dead")
    assert (claim(log, "dead"), claim(log)) == (["a", "b"], [])
    store.release("dead")
    assert log.hold(rebuild, "w")
    assert [claim(log), claim(log)] == [["a"], ["b"]], "tried before, so claimed alone"


def test_a_claim_expires(store: PageStore, log: RebuildLog, clock: Clock) -> None:
    start(store, log, "a")
    assert (claim(log, "slow"), claim(log)) == (["a"], [])
    clock.advance(100)
    assert claim(log, "quick") == ["a"]
    record(log, "slow", a=EMPTY)
    assert not log.is_written(), "the claim of the slow one has ended"
    record(log, "quick", a=Indexed())
    assert log.tried() == {ref("a"): AttemptResult(sequence=1, outcome=Indexed())}


def test_pages_that_wait_come_back_without_having_used_up_an_attempt(
    store: PageStore, log: RebuildLog, clock: Clock
) -> None:
    start(store, log, "a", "b")
    for _ in range(9):
        assert claim(log) == ["a", "b"]
        waiting = Waiting(reason="embedder_unavailable", seconds=30)
        record(log, "w", a=waiting, b=waiting)
        assert claim(log) == []
        clock.advance(30)
    assert claim(log) == ["a", "b"]
    record(log, "w", a=Indexed(), b=EMPTY)
    assert log.is_written()
    assert {page_ref.id: result.outcome for page_ref, result in log.tried().items()} == {
        "a": Indexed(),
        "b": EMPTY,
    }


def test_a_page_that_kills_its_worker_fails_after_five_attempts(store: PageStore, log: RebuildLog) -> None:
    start(store, log, "killer")
    for _ in range(5):
        assert claim(log) == ["killer"]
        store.release("w")
    assert (claim(log), log.is_written()) == ([], True)
    [result] = log.tried().values()
    assert isinstance(result.outcome, Failed)
    assert result.outcome.reason == "poison"


def test_a_rebuild_through_the_queue_builds_again_and_nobody_else_does(
    log: RebuildLog, builds: Builds
) -> None:
    rebuild = log.request().id
    with pytest.raises(ConflictError, match=f"rebuild {rebuild} has been under way in the queue"):
        builds.begin("by hand")
    builds.begin(rebuild)
    builds.begin(rebuild)
    running = builds.current()
    assert running is not None
    assert running.worker == rebuild
