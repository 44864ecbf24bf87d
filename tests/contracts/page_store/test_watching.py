"""What is counted, and since when pages wait: in the same transaction as what happened, on every database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from sqlalchemy import Engine

from app.pages.announcements import Announcements
from app.pages.backlog import Backlog, age, is_late, read_backlog
from app.pages.counters import FAILED, SEARCHABLE_SECONDS, Counters, Key, searchable
from app.pages.deliveries import Deliveries
from app.pages.store import PageStore
from app.pages.types import Announcement, Delivery, Failed, Indexed, Waiting
from tests.contracts.page_store.helpers import NOON, Clock, claim_one, index
from tests.contracts.raw_pages import delete, page, ref, save

HOUR = timedelta(hours=1)
EMPTY = Failed(reason="empty", message="no text")


def counted(engine: Engine) -> dict[Key, float]:
    return Counters(engine).read()


def backlog(engine: Engine, clock: Clock) -> list[Backlog]:
    return sorted(read_backlog(engine, clock()), key=lambda part: (part.kind, part.state))


def test_what_is_accepted_and_what_is_indexed_is_counted(
    store: PageStore, clock: Clock, engine: Engine
) -> None:
    store.accept([save("a"), save("b"), save("a")], priority=10)
    clock.advance(3)
    index(store)
    store.accept([delete("a")])
    assert counted(engine) == {
        ("accepted", "town", ""): 3,
        ("indexed", "town", ""): 2,
        ("searchable", "interactive", "5"): 2,
        ("searchable_seconds", "interactive", ""): 6,
    }


def test_a_report_that_is_repeated_counts_once(store: PageStore, engine: Engine) -> None:
    store.accept([save("a")])
    claim = claim_one(store)
    for _ in range(3):
        store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert counted(engine)["indexed", "town", ""] == 1


def test_a_version_that_was_replaced_meanwhile_is_not_timed(
    store: PageStore, clock: Clock, engine: Engine
) -> None:
    store.accept([save("a", revision=1)])
    claim = claim_one(store)
    clock.advance(2)
    store.accept([save("a", "new", 2)])
    clock.advance(2)
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert (SEARCHABLE_SECONDS, "bulk", "") not in counted(engine)
    clock.advance(7)
    index(store)
    assert counted(engine)[SEARCHABLE_SECONDS, "bulk", ""] == 9


def test_only_a_failure_of_the_worker_with_the_claim_counts(store: PageStore, engine: Engine) -> None:
    store.accept([save("a")])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, EMPTY)], "another")
    assert (FAILED, "town", "empty") not in counted(engine)
    store.finish([(claim.ref, claim.sequence, EMPTY)], "w")
    assert counted(engine)[FAILED, "town", "empty"] == 1


def test_a_page_that_kills_its_workers_counts_as_failed(
    store: PageStore, clock: Clock, engine: Engine
) -> None:
    store.accept([save("a")])
    for _ in range(5):
        assert store.claim(1, "w")
        clock.advance(301)
    assert store.claim(1, "w") == []
    assert counted(engine)[FAILED, "town", "poison"] == 1


def test_what_several_count_at_once_adds_up(engine: Engine) -> None:
    counters = Counters(engine)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: counters.add({("a", "", ""): 1, ("b", "x", "y"): 0.5}), range(100)))
    assert counters.read() == {("a", "", ""): 100, ("b", "x", "y"): 50}


def test_every_bucket_counts_what_is_not_longer_than_its_bound() -> None:
    bounds = [next(iter(searchable(seconds, interactive=True)))[2] for seconds in (-1, 0.1, 0.11, 15_000)]
    assert bounds == ["0.1", "0.1", "0.25", "inf"]


def test_the_backlog_says_since_when_pages_wait(store: PageStore, clock: Clock, engine: Engine) -> None:
    store.accept([save("bulk")])
    clock.advance(60)
    store.accept([save("a"), save("b"), save("c")], priority=1)
    first, second = store.claim(2, "w")
    store.finish([(second.ref, second.sequence, Waiting(reason="index_unavailable", seconds=30))], "w")
    clock.advance(60)
    since = NOON + timedelta(seconds=60)
    assert backlog(engine, clock) == [
        Backlog(kind="bulk", state="queued", pages=1, since=NOON),
        Backlog(kind="interactive", state="queued", pages=1, since=since),
        Backlog(kind="interactive", state="running", pages=1, since=since),
        Backlog(kind="interactive", state="waiting", pages=1, since=since),
    ]
    assert first.ref == ref("a")


def test_pages_that_are_made_due_again_wait_from_then_on(
    store: PageStore, clock: Clock, engine: Engine
) -> None:
    store.accept([save("a")])
    index(store)
    clock.advance(86_400)
    store.requeue("town")
    clock.advance(5)
    assert age(backlog(engine, clock), clock(), "bulk") == timedelta(seconds=5)
    index(store)
    clock.advance(86_400)
    store.renumber(1_000)
    assert age(backlog(engine, clock), clock(), "bulk") == timedelta(0)
    index(store)
    clock.advance(86_400)
    store.exclude("town", "a")
    clock.advance(2)
    assert age(backlog(engine, clock), clock(), "bulk") == timedelta(seconds=2)


def part(kind: str, state: str, hours: float) -> Backlog:
    return Backlog(kind=kind, state=state, pages=1, since=NOON - hours * HOUR)  # type: ignore[arg-type]


def test_a_page_that_an_editor_waits_for_is_late_whatever_else_is_done() -> None:
    assert is_late([part("interactive", "queued", 2), part("bulk", "running", 0)], NOON, HOUR)
    assert is_late([part("interactive", "running", 2)], NOON, HOUR)
    assert not is_late([part("interactive", "queued", 1)], NOON, HOUR)


def test_an_import_is_late_only_while_nobody_works() -> None:
    assert is_late([part("bulk", "queued", 2)], NOON, HOUR)
    assert is_late([part("bulk", "waiting", 2)], NOON, HOUR)
    assert not is_late([part("bulk", "queued", 2), part("bulk", "running", 2)], NOON, HOUR)
    assert not is_late([], NOON, HOUR)


def test_a_claim_names_the_job_that_asked_for_it(store: PageStore, deliveries: Deliveries) -> None:
    store.accept([save("imported")])
    [job] = deliveries.accept(Delivery(source="town", id="m", digest="d"), [save("sent")])
    jobs = {claim.ref.id: claim.job for claim in store.claim(10, "w")}
    assert jobs == {"imported": None, "sent": job.id}


def test_a_page_that_was_announced_is_timed_from_then_on_and_names_its_job(
    store: PageStore, clock: Clock, deliveries: Deliveries, engine: Engine
) -> None:
    queue = Announcements(engine, clock)
    announced = Announcement(ref=ref("a"), revision=None, republish=False)
    [job] = deliveries.accept(Delivery(source="town", id="m", digest="d"), [announced], priority=10)
    clock.advance(40)
    claim = queue.claim("w")
    assert claim is not None
    queue.accept(claim, page("a"), "w")
    clock.advance(2)
    [due] = store.claim(1, "w")
    assert due.job == job.id
    store.finish([(due.ref, due.sequence, Indexed())], "w")
    assert counted(engine)[SEARCHABLE_SECONDS, "interactive", ""] == 42
