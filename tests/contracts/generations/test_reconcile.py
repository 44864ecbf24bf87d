"""Page store and live generation are compared and brought together while pages go on coming in."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.background.reconcile import Reconciler
from app.errors import ConflictError, NeedsAttentionError
from app.pages.database import utc_now
from app.pages.pulls import PullLog
from app.pages.reconciliations import KEPT, ReconciliationLog
from app.pages.types import Indexed
from app.pages.workers import WorkerRegistry
from app.search.types import Remove
from app.sources.pull import Puller
from ingest.types import Delete, PageRef, Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch, with_postgresql
from tests.contracts.generations.test_rebuild import fill, refuse
from tests.fakes.world import World, raw_page


@pytest.fixture
def log(world: World) -> ReconciliationLog:
    return ReconciliationLog(world.engine)


@pytest.fixture
def woken() -> list[int]:
    return []


@pytest.fixture
def reconciler(world: World, log: ReconciliationLog, woken: list[int]) -> Reconciler:
    return Reconciler(
        store=world.store,
        index=world.index,
        generations=world.generations,
        log=log,
        puller=_puller(world),
        pulled=(),
        wake=woken.append,
    )


def _puller(world: World) -> Puller:
    def no_source(name: str) -> Any:
        raise AssertionError(name)

    return Puller(
        store=world.store,
        pulls=PullLog(world.engine, utc_now),
        worker=world.workers.id,
        settings_by_source={},
        source_of=no_source,
        wake=lambda pages: None,
    )


def ref(page_id: str, source: str = "town") -> PageRef:
    return PageRef(source=source, id=page_id, language="en")


def lose(world: World, *ids: str) -> None:
    """The index forgets pages behind the page store's back."""
    served = world.served()
    world.index.write(1, [Remove(ref=ref(name), sequence=served[name]) for name in ids])


def believe(world: World) -> None:
    """The page store takes everything for indexed that is due."""
    while claims := world.store.claim(10, "w"):
        for claim in claims:
            world.store.finish([(claim.ref, claim.sequence, Indexed())], "w")


def strip(world: World, page_id: str) -> None:
    """A page's vectors get lost in the index, as by a partial update."""
    [stored] = world.store.read([ref(page_id)])
    assert stored.page is not None
    built = world.pipeline.build(stored.page, stored.sequence)
    bare = replace(built, chunks=(), vectors=np.empty((0, 512), np.float32))
    assert [result.status for result in world.index.write(1, [bare])] == ["written"]


@everywhere
def test_where_nothing_differs_nothing_is_done(
    world: World, reconciler: Reconciler, log: ReconciliationLog, woken: list[int]
) -> None:
    fill(world, 20)
    world.store.accept([Delete(source="town", id="p3")])
    world.store.exclude("town", "p4")
    world.drain()
    before = world.served()
    report, due = reconciler.run()
    assert (report.pages, report.counts, due, woken) == (18, {}, [], [])
    assert (world.served(), world.store.pending()) == (before, 0)
    assert log.last() == report


@everywhere
def test_whatever_differs_is_named_and_mended(world: World, reconciler: Reconciler, woken: list[int]) -> None:
    fill(world, 40)
    lose(world, "p1", "p2")
    world.store.accept(
        [
            Save(page=raw_page("p3", {"content": "edited"})),
            Delete(source="town", id="p4"),
            Delete(source="town", id="p5"),
        ]
    )
    believe(world)
    strip(world, "p6")
    world.index.write(1, [world.pipeline.build(raw_page("stranger", {"content": "text"}), 7)])

    report, due = reconciler.run()

    assert report.counts == {"missing": 2, "outdated": 1, "damaged": 1, "surplus": 3}
    assert sorted(page.id for page in due) == ["p1", "p2", "p3", "p6"]
    assert (woken, report.repaired, report.problem) == ([4], True, "")
    assert report.examples["missing"] == ["town/p1 (en)", "town/p2 (en)"]
    assert world.served().keys().isdisjoint({"p4", "p5", "stranger"})
    world.drain()
    assert world.served() == world.wanted()
    world.index.refresh()
    assert list(world.index.without_vectors(1)) == []
    assert reconciler.run()[0].counts == {}


def test_a_dry_run_names_what_differs_and_changes_nothing(
    world: World, reconciler: Reconciler, log: ReconciliationLog
) -> None:
    fill(world, 10)
    lose(world, "p1", "p2", "p3")
    report, due = reconciler.run(dry_run=True)
    assert (report.counts, due, report.repaired) == ({"missing": 3}, [], False)
    assert "3 of 10 pages differ" in report.problem
    assert (world.store.pending(), log.all()) == (0, [])


def test_what_is_queued_or_failed_is_left_alone(world: World, reconciler: Reconciler) -> None:
    fill(world, 20)
    refuse(world, "p1")
    world.save(raw_page("p1", {"content": "edited"}))
    world.store.accept([Save(page=raw_page("p2", {"content": "edited"})), Delete(source="town", id="p3")])
    lose(world, "p2")
    before = world.served()
    report, due = reconciler.run()
    assert (report.counts, due) == ({}, [])
    assert (world.served(), world.store.pending()) == (before, 2)


def test_more_than_a_fifth_is_mended_only_when_that_is_confirmed(
    world: World, reconciler: Reconciler, log: ReconciliationLog
) -> None:
    fill(world, 20)
    lose(world, *(f"p{n}" for n in range(5)))
    with pytest.raises(NeedsAttentionError, match=r"5 of 20 pages .*5 missing.*`auskunft reindex`"):
        reconciler.run()
    assert (world.store.pending(), len(world.served())) == (0, 15)
    last = log.last()
    assert last is not None
    assert (last.repaired, last.counts) == (False, {"missing": 5})
    assert "needs attention" in last.problem
    _, due = reconciler.run(confirmed=True)
    world.drain()
    assert len(due) == 5
    assert world.served() == world.wanted()


def test_a_fifth_is_mended_without_asking(world: World, reconciler: Reconciler) -> None:
    fill(world, 20)
    lose(world, *(f"p{n}" for n in range(4)))
    assert len(reconciler.run()[1]) == 4


@with_elasticsearch
def test_one_source_is_compared_alone(world: World, reconciler: Reconciler) -> None:
    fill(world, 10)
    world.save(*(raw_page(f"l{n}", {"content": "a law"}, source="law") for n in range(10)))
    lose(world, "p1")
    world.index.write(1, [Remove(ref=ref("l1", "law"), sequence=world.served()["l1"])])
    report, due = reconciler.run("law")
    assert (report.pages, due) == (10, [ref("l1", "law")])


def test_a_page_store_from_a_backup_is_left_to_a_rebuild(world: World, reconciler: Reconciler) -> None:
    fill(world, 20)
    later = [world.pipeline.build(raw_page("p1", {"content": "later"}), 1_000)]
    world.index.write(1, later)
    with pytest.raises(NeedsAttentionError, match=r"versions of 1 pages \(p1\).*backup.*`auskunft reindex`"):
        reconciler.run(confirmed=True)
    assert world.store.pending() == 0


@with_elasticsearch
def test_versions_that_a_page_never_had_are_left_to_a_rebuild(world: World, reconciler: Reconciler) -> None:
    """Also where other pages have been given such sequences since the backup."""
    fill(world, 20)
    later = [world.pipeline.build(raw_page("p1", {"content": "later"}), 21)]
    world.index.write(1, later)
    world.save(*(raw_page(f"new{n}", {"content": "new"}) for n in range(5)))
    with pytest.raises(NeedsAttentionError, match=r"versions of 1 pages \(p1\)"):
        reconciler.run()
    world.rebuilder.build()
    assert world.served() == world.wanted()
    assert reconciler.run()[0].problem == ""


@with_postgresql
def test_pages_that_differ_again_after_they_were_mended_need_attention(
    world: World, reconciler: Reconciler
) -> None:
    fill(world, 20)
    for problem in ("", "loses what is written"):
        lose(world, "p1")
        report, due = reconciler.run()
        assert problem in report.problem
        assert bool(problem) == bool(report.problem)
        assert due == [ref("p1")]
        world.drain()


@with_postgresql
def test_it_does_not_run_beside_a_rebuild_nor_twice_at_once(
    world: World,
    reconciler: Reconciler,
    log: ReconciliationLog,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    fill(world, 2)
    other = WorkerRegistry(tmp_path / "others")
    refresh = world.index.refresh
    refused: list[str] = []

    def meanwhile() -> None:
        with pytest.raises(ConflictError) as conflict:
            world.builds.begin(other.id)
        refused.append(str(conflict.value))
        refresh()

    monkeypatch.setattr(world.index, "refresh", meanwhile)
    reconciler.run()
    assert len(refused) == 1
    world.builds.begin(other.id)
    with pytest.raises(ConflictError):
        reconciler.run()
    assert len(log.all()) == 1
    world.builds.end(other.id)
    other.close()


def come_in(world: World) -> None:
    """Everything that can happen to a page, indexed or still queued."""
    world.store.accept(
        [
            Save(page=raw_page("p1", {"content": "edited"})),
            Delete(source="town", id="p2"),
            Save(page=raw_page("p3", {"content": "back"}), republish=True),
            Save(page=raw_page("new", {"content": "new"})),
        ]
    )
    world.store.exclude("town", "p4")
    world.store.include("town", "p5")
    world.drain()
    world.store.accept([Save(page=raw_page("p6", {"content": "edited"})), Delete(source="town", id="p7")])


@everywhere
@pytest.mark.parametrize("step", ["watermark", "versions", "refresh", "refs", "without_vectors"])
@pytest.mark.parametrize("before", [True, False])
def test_what_comes_in_at_any_moment_is_no_difference(
    world: World, reconciler: Reconciler, monkeypatch: pytest.MonkeyPatch, step: str, before: bool
) -> None:
    fill(world, 20)
    world.store.accept([Delete(source="town", id="p3")])
    world.store.exclude("town", "p5")
    world.drain()
    world.store.accept([Save(page=raw_page(name, {"content": "queued"})) for name in ("p8", "late")])
    world.store.accept([Delete(source="town", id="p9")])
    part: Any = world.store if step in ("watermark", "versions") else world.index
    original: Callable[..., Any] = getattr(part, step)
    calls = iter([1])

    def meanwhile(*arguments: Any) -> Any:
        first = next(calls, None)
        if first and before:
            come_in(world)
        result = original(*arguments)
        if step in ("versions", "refs"):
            result = iter(list(result))
        if first and not before:
            come_in(world)
        return result

    monkeypatch.setattr(part, step, meanwhile)
    report, due = reconciler.run()
    assert (report.counts, due) == ({}, [])
    assert next(calls, None) is None
    world.drain()
    assert world.served() == world.wanted()


@everywhere
def test_pages_edited_all_the_while_are_no_difference(world: World, reconciler: Reconciler) -> None:
    fill(world, 10)
    ended = threading.Event()

    def edit() -> None:
        for number in range(30):
            for page in range(5):
                world.store.accept([Save(page=raw_page(f"p{page}", {"content": f"edit {number}"}))])
            world.store.accept([Delete(source="town", id=f"p{number % 5}")])
            world.drain()
        ended.set()

    editor = threading.Thread(target=edit)
    editor.start()
    reports = [reconciler.run()[0]]
    while not ended.is_set():
        reports.append(reconciler.run()[0])
    editor.join()
    assert [report.counts for report in reports if report.counts or report.problem] == []
    assert world.served() == world.wanted()


@with_postgresql
def test_reports_are_kept_for_a_month_of_nights(reconciler: Reconciler, log: ReconciliationLog) -> None:
    reports = [reconciler.run()[0] for _ in range(KEPT + 2)]
    assert log.all() == reports[:1:-1]
