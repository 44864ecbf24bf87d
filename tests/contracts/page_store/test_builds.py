"""The build lease and what a rebuild reads and records."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import URL, Engine

from app.errors import ConflictError
from app.pages.builds import Builds
from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, PageVersion, Waiting
from tests.contracts.page_store.helpers import Clock, claim_one, index, state
from tests.contracts.raw_pages import delete, page, ref, save

EMPTY = Failed(reason="empty", message="no text")


def test_one_builds_at_a_time_and_the_refusal_says_since_when_and_what(builds: Builds) -> None:
    builds.begin("first")
    with pytest.raises(
        ConflictError,
        match="an index has been under construction or reconciled since 2026-11-21 12:00:00 UTC",
    ):
        builds.begin("second")
    builds.set_generation("first", 7)
    with pytest.raises(ConflictError, match=r"generation 7 .*until 12:05:00 UTC"):
        builds.begin("first")
    builds.end("second")
    assert builds.current() is not None
    builds.end("first")
    assert builds.current() is None
    builds.begin("second")


def test_of_builders_that_begin_at_once_one_is_let_in(builds: Builds) -> None:
    together = Barrier(8)

    def begins(number: int) -> bool:
        together.wait()
        try:
            builds.begin(f"w{number}")
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(begins, range(8))) == [False] * 7 + [True]


def test_a_builder_that_does_not_renew_its_lease_loses_it(clock: Clock, builds: Builds) -> None:
    builds.begin("slow")
    builds.set_generation("slow", 2)
    clock.advance(299)
    assert builds.renew("slow")
    clock.advance(300)
    assert builds.current() is None
    builds.begin("quick")
    assert not builds.renew("slow")
    builds.set_generation("slow", 2)
    builds.end("slow")
    running = builds.current()
    assert running is not None
    assert (running.worker, running.generation) == ("quick", None)


def test_a_lease_whose_end_is_damaged_has_run_out(builds: Builds, engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("a server keeps times as times")
    builds.begin("first")
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE builds SET until = 'garbage'")
    builds.begin("second")
    assert not builds.renew("first")


def test_a_dead_workers_build_ends_with_its_claims(store: PageStore, builds: Builds) -> None:
    builds.begin("dead")
    store.release("another")
    assert builds.current() is not None
    store.release("dead")
    assert builds.current() is None


def test_claims_name_the_generation_that_is_being_built(store: PageStore, builds: Builds) -> None:
    store.accept([save(name) for name in "abcd"])
    assert claim_one(store).target is None
    builds.begin("builder")
    assert claim_one(store).target is None
    builds.set_generation("builder", 3)
    assert claim_one(store).target == 3
    builds.end("builder")
    assert claim_one(store).target is None


def test_versions_tell_the_newest_of_each_page_whether_indexed_or_not(store: PageStore) -> None:
    store.accept([save("a"), save("b"), save("deleted"), save("out"), save("poison")])
    store.accept([delete("deleted"), save("b", "newer")])
    store.exclude("town", "out")
    for _ in range(5):
        store.claim(1, "w", [ref("poison")])
        store.release("w")
    assert store.claim(1, "w", [ref("poison")]) == []
    assert {version.ref.id: version for version in store.versions()} == {
        "a": PageVersion(ref=ref("a"), sequence=1, served=True),
        "b": PageVersion(ref=ref("b"), sequence=7, served=True),
        "deleted": PageVersion(ref=ref("deleted"), sequence=6, served=False),
        "out": PageVersion(ref=ref("out"), sequence=8, served=False),
        "poison": PageVersion(ref=ref("poison"), sequence=5, served=True, poison=True),
    }
    assert store.watermark() == 8


def test_versions_come_from_more_than_one_batch(store: PageStore) -> None:
    store.accept([save(f"p{n}") for n in range(1200)])
    assert sorted(version.sequence for version in store.versions()) == list(range(1, 1201))


def test_pages_are_read_without_being_claimed(store: PageStore) -> None:
    store.accept([save("a", "old"), save("b"), save("out")])
    store.accept([save("a", "new"), delete("b")])
    store.exclude("town", "out")
    found = store.read([ref("out"), ref("unknown"), ref("b"), ref("a")])
    assert [(item.ref.id, item.sequence, item.page) for item in found] == [
        ("out", 6, None),
        ("b", 5, None),
        ("a", 4, page("a", "new")),
    ]
    assert (store.read([]), len(store.claim(10, "w"))) == ([], 3)


def test_an_outcome_without_a_claim_counts_for_its_version_alone(store: PageStore) -> None:
    store.accept([save("waiting"), save("failed"), save("edited"), save("indexed")])
    index_all_but_one_failing(store)
    store.accept([save("edited", "newer")])
    old = {ref(name): sequence for sequence, name in enumerate(("waiting", "failed", "edited", "indexed"), 1)}
    before = store.snapshot(ref("indexed"))
    store.record_indexed(old)
    states = {name: state(store, ref(name)) for name in ("waiting", "failed", "edited")}
    assert states == {"waiting": "indexed", "failed": "indexed", "edited": "pending"}
    assert store.snapshot(ref("failed")).reason == ""
    assert store.snapshot(ref("indexed")) == before


def index_all_but_one_failing(store: PageStore) -> None:
    """One waits, one has failed, the others are indexed."""
    waiting, failed, *others = store.claim(10, "w")
    store.finish([(waiting.ref, waiting.sequence, Waiting(reason="index_unavailable", seconds=60))], "w")
    store.finish([(failed.ref, failed.sequence, EMPTY)], "w")
    for claim in others:
        store.finish([(claim.ref, claim.sequence, Indexed())], "w")


def test_a_failure_without_a_claim_is_listed_unless_the_page_is_queued(
    store: PageStore, page_list: PageList
) -> None:
    store.accept([save("indexed"), save("edited")])
    index(store)
    store.accept([save("edited", "newer"), save("new")])
    sequences = {ref("indexed"): 1, ref("edited"): 3, ref("new"): 4}
    store.record_failed(sequences, dict.fromkeys(sequences, EMPTY))
    states = {row.ref.id: (row.state, row.reason) for row in page_list.records()}
    assert states == {
        "indexed": ("failed", "empty: no text"),
        "edited": ("pending", ""),
        "new": ("pending", ""),
    }
    assert len(store.claim(10, "w")) == 2


def test_a_source_that_is_requeued_is_due_again_and_no_other(store: PageStore) -> None:
    store.accept([save("a"), save("b"), save("gone")])
    store.accept_documents("village", [page("c", source="village")])
    store.accept([delete("gone")])
    index(store)
    store.requeue("town")
    assert (store.pending(source="town"), store.pending(source="village")) == (2, 0)
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, EMPTY)], "w")
    assert state(store, claim.ref) == "failed"


@pytest.mark.parametrize(
    "again",
    [lambda store: store.requeue("town"), lambda store: store.renumber(0)],
    ids=["requeue", "renumber"],
)
def test_what_was_indexed_waits_for_what_editors_save(
    store: PageStore, again: Callable[[PageStore], None]
) -> None:
    store.accept([save("a"), save("b")], priority=10)
    index(store)
    store.accept([save("waits")], priority=10)
    again(store)
    store.accept([save("saved")], priority=10)
    assert index(store) == [ref(name) for name in ("waits", "saved", "a", "b")]


def test_accepted_is_not_yet_indexed(store: PageStore) -> None:
    store.accept([save()])
    assert not store.has_indexed()
    index(store)
    store.accept([delete()])
    assert store.has_indexed()


def test_what_is_to_be_written_again_has_been_indexed(store: PageStore) -> None:
    store.accept([save()])
    index(store)
    store.requeue("town")
    assert store.has_indexed()


def test_a_page_store_keeps_its_id_and_knows_where_its_pages_are(store: PageStore, url: URL) -> None:
    assert (len(store.id), store.indexed_in()) == (32, "")
    store.set_indexed_in("elasticsearch town")
    engine = open_engine(url)
    again = PageStore(engine)
    assert (again.id, again.indexed_in()) == (store.id, "elasticsearch town")
    engine.dispose()


def test_renumbered_pages_are_above_all_earlier_ones_in_the_same_order(store: PageStore) -> None:
    store.accept([save("a"), save("b")])
    index(store)
    store.renumber(70)
    first, second = [version.sequence for version in store.versions()]
    assert 70 < first < second <= store.watermark()
    assert store.pending() == 2
    assert index(store) == [ref("a"), ref("b")]
    [accepted] = store.accept([save("c")])
    assert accepted.sequence > second
