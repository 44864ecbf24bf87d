"""The queue: claims, their outcomes, dead workers."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine

from app.pages.database import open_engine
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome, Waiting
from app.pages.workers import WorkerRegistry
from ingest.types import PageRef
from tests.contracts.page_store.helpers import NOON, Clock, claim_one, index, state
from tests.contracts.raw_pages import delete, ref, save


def test_urgent_pages_come_first_then_the_oldest(store: PageStore) -> None:
    store.accept([save("a"), save("b")])
    store.accept([save("urgent")], priority=5)
    assert [claim.ref.id for claim in store.claim(2, "w")] == ["urgent"], "it waits for no others"
    assert [claim.ref.id for claim in store.claim(2, "w")] == ["a", "b"]


def test_a_worker_can_leave_the_less_urgent_pages_to_others(store: PageStore) -> None:
    store.accept([save("a")])
    store.accept([save("urgent")], priority=1)
    assert [claim.ref.id for claim in store.claim(9, "w", min_priority=1)] == ["urgent"]
    assert store.claim(9, "w", min_priority=1) == []


def test_a_claim_has_few_long_pages_at_once_and_the_longest_alone(store: PageStore) -> None:
    sizes = {"a": 50_000, "b": 50_000, "c": 50_000, "d": 1_000_000, "e": 1_000_000, "f": 1}
    store.accept([save(name, text="x" * size) for name, size in sizes.items()])
    claimed = [[claim.ref.id for claim in store.claim(9, "w")] for _ in range(5)]
    assert claimed == [["a", "b"], ["c"], ["d"], ["e"], ["f"]]


def test_a_claim_of_pages_to_be_removed_may_be_longer(store: PageStore) -> None:
    store.accept([save(f"p{n}") for n in range(9)])
    index(store)
    store.accept([delete(f"p{n}") for n in range(6)])
    store.accept([save("p7", text="changed")])
    claimed = [[claim.ref.id for claim in store.claim(2, "w", removals=4)] for _ in range(3)]
    assert claimed == [["p0", "p1", "p2", "p3"], ["p4", "p5"], ["p7"]]


def test_claims_are_finished_together_each_with_its_own_outcome(store: PageStore, clock: Clock) -> None:
    store.accept([save(name) for name in ("done", "failed", "away", "newer")])
    claims = {claim.ref.id: claim for claim in store.claim(9, "w")}
    store.accept([save("newer", text="changed meanwhile")])
    away = Waiting(reason="embedder_unavailable", seconds=60)
    outcomes: dict[str, Outcome] = {
        "done": Indexed(),
        "failed": Failed(reason="empty", message=""),
        "away": away,
    }
    store.finish(
        [(claim.ref, claim.sequence, outcomes.get(name, Indexed())) for name, claim in claims.items()], "w"
    )
    assert {name: state(store, ref(name)) for name in claims} == {
        "done": "indexed",
        "failed": "failed",
        "away": "waiting",
        "newer": "pending",
    }
    assert [claim.ref.id for claim in store.claim(9, "another")] == ["newer"]
    clock.advance(61)
    assert [claim.ref.id for claim in store.claim(9, "another")] == ["away"]


def test_a_repeat_raises_the_urgency_and_never_lowers_it(store: PageStore) -> None:
    store.accept([save("a"), save("b"), save("c")])
    store.accept([save("c")], priority=5)
    store.accept([save("c")])
    assert [claim.ref.id for claim in store.claim(1, "w")] == ["c"]


def test_only_the_wanted_pages_are_claimed_and_counted(store: PageStore) -> None:
    store.accept([save(f"p{n}") for n in range(1200)])
    wanted = [ref(f"p{n}") for n in range(1100, -1, -1)]
    assert store.pending(wanted) == 1101
    assert [claim.ref.id for claim in store.claim(3, "w", wanted)] == ["p0", "p1", "p2"]
    assert store.claim(3, "w", [ref("unknown")]) == []
    assert (store.claim(3, "w", []), store.pending([])) == ([], 0)
    assert (store.pending(source="town"), store.pending(source="village")) == (1200, 0)


def test_a_claim_is_good_until_it_expires(store: PageStore, clock: Clock) -> None:
    store.accept([save()])
    claim_one(store, "first")
    clock.advance(299)
    assert store.claim(1, "second") == []
    clock.advance(1)
    assert claim_one(store, "second").attempts == 2


def test_a_page_saved_while_it_is_worked_on_stays_due(store: PageStore) -> None:
    store.accept([save()])
    claim = claim_one(store)
    store.accept([save(text="meanwhile")])
    assert store.claim(1, "other") == [], "one page, one worker"
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert (state(store), store.pending()) == ("pending", 1)
    assert claim_one(store).sequence == 2


@pytest.mark.parametrize("outcome", [Failed(reason="invalid", message="no"), Waiting(reason="x", seconds=9)])
def test_a_failure_of_an_old_version_says_nothing_about_the_new_one(
    store: PageStore, outcome: Failed | Waiting
) -> None:
    store.accept([save()])
    claim = claim_one(store)
    store.accept([save(text="meanwhile")])
    store.finish([(claim.ref, claim.sequence, outcome)], "w")
    assert (state(store), store.snapshot(ref()).reason) == ("pending", "")
    assert claim_one(store).attempts == 1


def test_finishing_twice_changes_nothing(store: PageStore, clock: Clock) -> None:
    store.accept([save()])
    claim = claim_one(store)
    waiting = Waiting(reason="embedder_unavailable", seconds=60)
    store.finish([(claim.ref, claim.sequence, waiting)], "w")
    clock.advance(30)
    store.finish([(claim.ref, claim.sequence, waiting)], "w")
    clock.advance(29)
    assert not store.is_due()
    clock.advance(1)
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    row = store.snapshot(ref())
    clock.advance(5)
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    store.finish([(claim.ref, claim.sequence, waiting)], "w")
    store.finish([(claim.ref, claim.sequence, Failed(reason="invalid", message="late"))], "w")
    assert store.snapshot(ref()) == row
    assert row.indexed_at == NOON + timedelta(seconds=60)


def test_a_worker_that_lost_its_claim_cannot_fail_the_page_or_free_it(store: PageStore, clock: Clock) -> None:
    store.accept([save()])
    claim = claim_one(store, "slow")
    clock.advance(300)
    claim_one(store, "quick")
    store.finish([(claim.ref, claim.sequence, Failed(reason="timeout", message="slow"))], "slow")
    assert (state(store), store.claim(1, "third")) == ("pending", [])
    store.finish([(claim.ref, claim.sequence, Indexed())], "slow")
    assert state(store) == "indexed", "what the index has is true, whoever says it"


def test_an_older_version_written_late_does_not_make_the_newer_one_due(store: PageStore) -> None:
    store.accept([save()])
    old = claim_one(store)
    store.release("w")
    store.accept([save(text="new")])
    index(store)
    store.finish([(old.ref, old.sequence, Indexed())], "w")
    assert (state(store), store.pending()) == ("indexed", 0)


def test_an_older_version_written_late_does_not_put_a_failed_page_back(store: PageStore) -> None:
    store.accept([save()])
    old = claim_one(store)
    store.release("w")
    store.accept([save(text="new")])
    new = claim_one(store)
    store.finish([(new.ref, new.sequence, Failed(reason="invalid", message="no"))], "w")
    store.finish([(old.ref, old.sequence, Indexed())], "w")
    assert (state(store), store.pending()) == ("failed", 0)


def test_waiting_does_not_count_as_an_attempt(store: PageStore, clock: Clock) -> None:
    store.accept([save()])
    for _ in range(20):
        claim = claim_one(store)
        assert claim.attempts == 1
        store.finish([(claim.ref, claim.sequence, Waiting(reason="embedder_unavailable", seconds=60))], "w")
        assert (state(store), store.snapshot(ref()).reason) == ("waiting", "embedder_unavailable")
        assert store.claim(1, "w") == []
        clock.advance(60)
    assert store.pending() == 1


def test_a_page_that_kills_its_worker_is_poison_after_five_attempts_and_spares_its_neighbours(
    store: PageStore,
) -> None:
    store.accept([save("a"), save("bad"), save("c")])
    deaths = 0
    for _ in range(20):
        claims = store.claim(10, "w")
        if not claims:
            break
        if any(claim.ref.id == "bad" for claim in claims):
            deaths += 1
            assert deaths == 1 or len(claims) == 1, "tried before, so taken alone"
            store.release("w")
            continue
        for claim in claims:
            store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert deaths == 5
    assert store.counts() == {"failed": 1, "indexed": 2}
    assert store.snapshot(ref("bad")).reason.startswith("poison: ")
    assert (store.is_due(), store.pending()) == (False, 0)


def test_a_page_that_kills_its_worker_is_poison_although_it_is_sent_again_each_time(store: PageStore) -> None:
    for _ in range(5):
        store.accept([save("bad"), save("good")])
        assert any(claim.ref.id == "bad" for claim in store.claim(10, "w", [ref("bad")]))
        store.release("w")
    store.accept([save("bad"), save("good")])
    assert [claim.ref.id for claim in store.claim(10, "w")] == ["good"]
    assert store.claim(10, "w") == []
    assert store.snapshot(ref("bad")).reason.startswith("poison: ")


def test_a_page_tried_before_is_claimed_alone_and_after_all_others(store: PageStore) -> None:
    store.accept([save("a"), save("tried"), save("b"), save("c")])
    store.claim(1, "w", [ref("tried")])
    store.release("w")
    batches = [[claim.ref.id for claim in store.claim(10, "w")] for _ in range(3)]
    assert batches == [["a", "b", "c"], ["tried"], []]


def test_poisoned_pages_hide_none_and_fail_when_their_turn_comes(store: PageStore) -> None:
    store.accept([save("bad"), save("worse"), save("good")])
    for page_ref in (ref("bad"), ref("worse")):
        for _ in range(5):
            assert len(store.claim(1, "w", [page_ref])) == 1
            store.release("w")
    assert [claim.ref.id for claim in store.claim(1, "w")] == ["good"]
    assert store.claim(1, "w") == []
    assert store.counts() == {"failed": 2, "pending": 1}


def test_a_page_that_waits_is_due_when_its_time_has_come(store: PageStore, clock: Clock) -> None:
    assert not store.is_due()
    store.accept([save("a"), save("b")])
    assert store.is_due()
    for seconds in (60, 30):
        claim = claim_one(store)
        store.finish([(claim.ref, claim.sequence, Waiting(reason="x", seconds=seconds))], "w")
    clock.advance(29)
    assert not store.is_due()
    clock.advance(1)
    assert (store.is_due(), index(store), store.is_due()) == (True, [ref("b")], False)
    clock.advance(30)
    assert (index(store), store.pending()) == ([ref("a")], 0)


def test_threads_never_claim_the_same_page(store: PageStore) -> None:
    store.accept([save(f"p{n}") for n in range(200)])
    with ThreadPoolExecutor(4) as pool:
        claimed = [item for done in pool.map(lambda n: index(store, f"w{n}"), range(4)) for item in done]
    assert sorted(claimed) == sorted(ref(f"p{n}") for n in range(200))


def index_in_process(url: URL, worker: str) -> list[PageRef]:
    return index(PageStore(open_engine(url)), worker)


def test_processes_never_claim_the_same_page(store: PageStore, url: URL) -> None:
    store.accept([save(f"p{n}") for n in range(200)])
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jobs = [(url, f"w{n}") for n in range(2)]
        claimed = [item for done in pool.starmap(index_in_process, jobs, chunksize=1) for item in done]
    assert sorted(claimed) == sorted(ref(f"p{n}") for n in range(200))
    assert store.counts() == {"indexed": 200}


def claim_and_hang(url: URL, folder: Path, ready: threading.Event) -> None:
    registry = WorkerRegistry(folder)
    PageStore(open_engine(url)).claim(10, registry.id)
    ready.set()
    time.sleep(60)


def test_what_a_killed_worker_had_claimed_is_claimed_again_at_once(
    engine: Engine, url: URL, tmp_path: Path
) -> None:
    store = PageStore(engine)
    store.accept([save("a"), save("b")])
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    worker = spawn.Process(target=claim_and_hang, args=(url, tmp_path / "workers", ready))
    worker.start()
    assert ready.wait(20)
    registry = WorkerRegistry(tmp_path / "workers")
    assert (registry.release_dead(store.release), store.claim(10, registry.id)) == (False, [])
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    assert registry.release_dead(store.release)
    assert [(claim.ref.id, claim.attempts) for claim in store.claim(10, registry.id)] == [("a", 2)]
    assert [claim.ref.id for claim in store.claim(10, registry.id)] == ["b"]
    registry.close()
