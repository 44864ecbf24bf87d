"""Index and embedder that are away for a while, answers that are lost, page stores from a backup."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.errors import IndexDamagedError, IndexUnavailableError, NeedsAttentionError
from app.indexing.retry import PAUSES
from app.pages.workers import WorkerRegistry
from app.search.index import SearchIndex
from ingest.types import Delete, FieldName, PageRef, RawPage, Save
from tests.contracts.generations.conftest import with_elasticsearch, with_postgresql
from tests.contracts.generations.test_rebuild import fill, refuse
from tests.fakes.world import World, markdown, raw_page


def away(*_arguments: Any) -> Any:
    raise IndexUnavailableError("does not answer in time")


def fail_once(monkeypatch: pytest.MonkeyPatch, index: SearchIndex, name: str, *, after: bool) -> None:
    """The next call of a method fails, before or after it has had its effect."""
    method: Callable[..., Any] = getattr(index, name)
    calls = iter([1])

    def failing(*arguments: Any) -> Any:
        if not next(calls, None):
            return method(*arguments)
        if after:
            method(*arguments)
        return away()

    monkeypatch.setattr(index, name, failing)


@with_elasticsearch
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["write", "refs", "refresh", "promote"])
def test_a_rebuild_outlives_an_index_that_is_away_for_a_moment(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, after: bool
) -> None:
    fill(world, 20)
    fail_once(monkeypatch, world.index, name, after=after)
    assert world.rebuilder.build().pages == 20
    assert world.pauses != []
    assert (world.states(), world.served()) == (["retired", "live"], world.wanted())


def test_a_rebuild_outlives_an_embedder_that_is_away_for_a_while(world: World) -> None:
    fill(world, 20)
    world.change_embedder(64)
    world.embedder.off = True

    def come_back() -> None:
        world.embedder.off = len(world.pauses) < 5

    world.during_pause = come_back
    assert world.rebuilder.build().pages == 20
    assert world.served() == world.wanted()


@with_postgresql
def test_the_builder_keeps_its_place_while_it_waits(world: World) -> None:
    fill(world, 2)
    world.change_embedder(64)
    world.embedder.off = True
    held = []

    def look() -> None:
        running = world.builds.current()
        assert running is not None
        held.append(running.until)
        world.embedder.off = len(held) < 3

    world.during_pause = look
    world.rebuilder.build()
    assert held == sorted(set(held))


def test_a_live_generation_that_does_not_answer_is_not_taken_for_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    refuse(world, *(f"p{n}" for n in range(30)))
    refs = world.index.refs
    monkeypatch.setattr(world.index, "refs", lambda number: away() if number == 1 else refs(number))
    with pytest.raises(IndexUnavailableError, match="in time"):
        world.rebuilder.build()
    assert len(world.pauses) == PAUSES
    assert world.states() == ["live"]
    monkeypatch.undo()
    assert world.served() == world.wanted()


@with_elasticsearch
def test_a_live_generation_that_is_lost_is_replaced(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world)
    refuse(world, *(f"p{n}" for n in range(30)))
    refs = world.index.refs

    def damaged(number: int) -> Iterator[tuple[PageRef, int]]:
        if number == 1:
            raise IndexDamagedError("damaged")
        return refs(number)

    monkeypatch.setattr(world.index, "refs", damaged)
    rebuilt = world.rebuilder.build()
    assert (rebuilt.kept, rebuilt.pages, world.pauses) == (None, 10, [])
    assert world.states() == ["live"]


def test_where_the_switch_fails_the_pages_that_still_serve_are_not_listed_as_failed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    refuse(world, "p5")
    monkeypatch.setattr(world.index, "promote", away)
    with pytest.raises(IndexUnavailableError):
        world.rebuilder.build()
    assert world.store.counts() == {"indexed": 40}
    assert world.served() == world.wanted()


@with_elasticsearch
def test_a_generation_that_went_live_unheard_is_not_thrown_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    refuse(world, "p5")
    promote = world.index.promote

    def unheard(number: int) -> None:
        promote(number)
        away()

    monkeypatch.setattr(world.index, "promote", unheard)
    with pytest.raises(IndexUnavailableError):
        world.rebuilder.build()
    assert (world.states(), len(world.served())) == (["retired", "live"], 39)
    assert world.store.counts() == {"indexed": 39, "failed": 1}
    world.generations.clean_up()
    assert world.states() == ["retired", "live"]


@with_elasticsearch
def test_a_switch_that_was_never_made_leaves_what_the_next_rebuild_clears_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 2)
    monkeypatch.setattr(world.index, "promote", away)
    with pytest.raises(IndexUnavailableError):
        world.rebuilder.build()
    monkeypatch.undo()
    assert world.states() == ["live", "building"]
    world.generations.clean_up()
    assert world.states() == ["live"]


def test_an_older_generation_that_cannot_be_dropped_does_not_undo_the_switch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 2)
    world.rebuilder.build()
    monkeypatch.setattr(world.index, "drop", away)
    rebuilt = world.rebuilder.build()
    assert (rebuilt.number, rebuilt.kept) == (3, 2)
    assert world.states() == ["retired", "retired", "live"]
    monkeypatch.undo()
    world.rebuilder.build()
    assert world.states() == ["retired", "live"]


@with_elasticsearch
def test_pages_that_the_page_store_does_not_know_count_as_lost(world: World) -> None:
    fill(world)
    strangers = [world.pipeline.build(raw_page(f"x{n}", {"content": "text"}), 7) for n in range(4)]
    world.index.write(1, strangers)
    complaint = r"4 of the 44 pages .*lost \(4 unknown; x\d: the page store has no such page\)"
    with pytest.raises(NeedsAttentionError, match=complaint):
        world.rebuilder.build()
    assert world.states() == ["live"]


def back_up(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as connection, closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)


@with_elasticsearch
@pytest.mark.parametrize("builds_before", [0, 1])
def test_a_page_store_from_a_backup_is_what_rebuild_and_rollback_end_at(
    world: World, tmp_path: Path, builds_before: int
) -> None:
    fill(world)
    for _ in range(builds_before):
        world.rebuilder.build()
    back_up(tmp_path / "pages.sqlite", tmp_path / "backup.sqlite")
    world.save(raw_page("p0", {"content": "edited"}), raw_page("p1", {"content": "edited"}))
    world.store.accept([Delete(source="town", id="p2"), Delete(source="town", id="p3")])
    world.drain()
    back_up(tmp_path / "backup.sqlite", tmp_path / "pages.sqlite")
    world.save(raw_page("p4", {"content": "edited since"}))

    for bring_back in (world.rebuilder.build, world.rebuilder.rollback, world.rebuilder.rollback):
        bring_back()
        assert world.served() == world.wanted()
        assert world.served().keys() == {f"p{n}" for n in range(40)}
        found = world.index.pages([PageRef(source="town", id=name, language="en") for name in ("p0", "p4")])
        assert [page.fields["content"] for page in found] == ["Page number0 of the town.", "edited since"]
        assert world.store.pending() == 0


@with_elasticsearch
def test_deletions_that_a_backup_does_not_know_do_not_keep_pages_out(world: World, tmp_path: Path) -> None:
    fill(world, 3)
    back_up(tmp_path / "pages.sqlite", tmp_path / "backup.sqlite")
    world.store.accept([Delete(source="town", id="p2")])
    world.drain()
    back_up(tmp_path / "backup.sqlite", tmp_path / "pages.sqlite")
    for bring_back in (world.rebuilder.build, world.rebuilder.rollback):
        bring_back()
        assert world.served() == world.wanted()
        assert world.served().keys() == {"p0", "p1", "p2"}
        assert world.store.pending() == 0


def test_a_page_that_kills_workers_is_not_tried_after_a_backup_either(world: World) -> None:
    fill(world, 2)
    world.store.accept([Save(page=raw_page("bad", {"content": "text"}))])
    for _ in range(5):
        world.store.claim(1, "dies")
        world.store.release("dies")
    assert world.store.claim(1, "dies") == []
    world.store.renumber(10_000)
    assert world.store.counts() == {"pending": 2, "failed": 1}
    rebuilt = world.rebuilder.build()
    assert [failure.reason for failure in rebuilt.failures.values()] == ["poison"]


@with_postgresql
def test_a_builder_that_lives_is_not_cleared_away_although_its_lease_ran_out(
    tmp_path: Path, index: SearchIndex
) -> None:
    with closing(World(tmp_path, index=index, lease_seconds=0.001)) as world:
        fill(world, 2)
        builder = WorkerRegistry(tmp_path / "workers")
        world.builds.begin(builder.id)
        world.index.create(world.recipe())
        world.generations.clean_up()
        assert world.states() == ["live", "building"]
        builder.close()
        world.generations.clean_up()
        assert world.states() == ["live"]


@with_postgresql
def test_a_slow_conversion_does_not_cost_the_builder_its_place(world: World) -> None:
    """The lease is renewed with every page, not with every batch only."""
    fill(world, 20)
    leases = []

    def convert(raw: RawPage) -> dict[FieldName, str]:
        running = world.builds.current()
        assert running is not None
        leases.append(running.until)
        return markdown(raw)

    world.pipeline._convert = convert
    world.rebuilder.build()
    assert len(set(leases)) == len(leases) == 20
