"""Going back to an earlier generation."""

from typing import Any

import pytest

from app.errors import ConflictError, EmbedderUnavailableError, InputError, NotFoundError, PluginError
from app.indexing.page_writer import PageWriter
from app.indexing.progress import Progress
from app.pages.rebuilds import RebuildLog
from ingest.types import Delete, Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch
from tests.contracts.generations.test_rebuild_queue import Death, die, work
from tests.fakes.world import World, raw_page


def refuse(*_arguments: object) -> None:
    raise PluginError("the embedder cannot be built")


def fill(world: World) -> None:
    world.save(*(raw_page(f"p{n}", {"content": f"Page {n}."}) for n in range(20)))


def change(world: World) -> None:
    """One page is new, one edited, one gone."""
    world.save(raw_page("p0", {"content": "edited"}), raw_page("new", {"content": "new"}))
    world.store.accept([Delete(source="town", id="p1")])
    world.drain()


@everywhere
def test_the_earlier_generation_comes_back_up_to_date(world: World) -> None:
    fill(world)
    world.rebuilder.build()
    change(world)
    assert world.served(1) != world.wanted()
    back = world.rebuilder.rollback()
    assert (back.number, back.kept, back.pages) == (1, 2, 20)
    assert (world.states(), world.served()) == (["live", "retired"], world.wanted())
    change(world)
    assert world.rebuilder.rollback().number == 2
    assert (world.states(), world.served()) == (["retired", "live"], world.wanted())


@with_elasticsearch
def test_it_is_brought_up_to_date_with_its_own_embedder(world: World) -> None:
    first = world.embedder
    fill(world)
    world.change_embedder(64)
    world.rebuilder.build()
    change(world)
    first.embedded.clear()
    world.rebuilder.rollback()
    assert len(first.embedded) == 2
    assert world.served() == world.wanted()


def test_only_a_retired_generation_comes_back(world: World) -> None:
    with pytest.raises(NotFoundError, match="no earlier generation is kept"):
        world.rebuilder.rollback()
    with pytest.raises(NotFoundError, match="there is no generation 7; known: 1"):
        world.rebuilder.rollback(7)
    with pytest.raises(InputError, match="generation 1 is live"):
        world.rebuilder.rollback(1)
    world.index.create(world.recipe())
    with pytest.raises(NotFoundError, match="there is no generation 2"):
        world.rebuilder.rollback(2)  # a leftover, which is dropped first
    assert (world.states(), world.builds.current()) == (["live"], None)


def test_a_rollback_that_fails_changes_nothing_and_can_be_repeated(world: World) -> None:
    first = world.embedder
    fill(world)
    world.change_embedder(64)
    world.rebuilder.build()
    change(world)
    first.off = True
    with pytest.raises(EmbedderUnavailableError):
        world.rebuilder.rollback(1)
    assert (world.states(), world.builds.current()) == (["retired", "live"], None)
    first.off = False
    world.rebuilder.rollback(1)
    assert (world.states(), world.served()) == (["live", "retired"], world.wanted())


@everywhere
def test_through_the_queue_it_is_one_step_of_a_worker(world: World) -> None:
    fill(world)
    world.rebuilder.build()
    change(world)
    queue = world.rebuild_queue()
    asked = queue.request_rollback(1)
    assert (asked.state, asked.generation, world.states()) == ("queued", 1, ["retired", "live"])
    with pytest.raises(ConflictError):
        world.rebuilder.rollback()
    queue.advance()
    assert (world.states(), world.served()) == (["live", "retired"], world.wanted())
    assert (queue.get(asked.id).state, queue.get(asked.id).written) == ("done", 20)
    assert world.builds.current() is None
    with pytest.raises(InputError, match="generation 1 is live"):
        queue.request_rollback(1)


def test_given_up_or_failed_it_keeps_the_earlier_generation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    world.rebuilder.build()
    queue = world.rebuild_queue()
    cancelled = queue.request_rollback(1)
    queue.cancel(cancelled.id)
    queue.advance()
    with monkeypatch.context() as patch:
        patch.setattr(PageWriter, "check", refuse)
        failed = queue.request_rollback(1)
        queue.advance()
    assert [queue.get(each.id).state for each in (cancelled, failed)] == ["cancelled", "failed"]
    assert (world.states(), world.builds.current()) == (["retired", "live"], None)


@everywhere
def test_given_up_while_it_is_filled_it_ends_before_it_goes_live(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    world.rebuilder.build()
    change(world)
    queue = world.rebuild_queue()
    asked = queue.request_rollback(1)
    write = world.writer.write

    def write_and_give_up(*arguments: Any, **options: Any) -> Any:
        queue.cancel(asked.id)
        return write(*arguments, **options)

    monkeypatch.setattr(world.writer, "write", write_and_give_up)
    work(queue)
    assert queue.get(asked.id).state == "cancelled"
    assert (world.states(), world.builds.current()) == (["retired", "live"], None)
    assert world.served() == world.wanted()
    monkeypatch.undo()
    queue.request_rollback(1)
    work(queue)
    assert (queue.all()[0].state, world.states()) == ("done", ["live", "retired"])
    assert world.served() == world.wanted()


def test_one_that_died_after_it_went_live_is_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world)
    world.rebuilder.build()
    asked = world.rebuild_queue().request_rollback(1)
    with monkeypatch.context() as patch:
        patch.setattr(RebuildLog, "finish", die)
        with pytest.raises(Death):
            world.rebuild_queue().advance()
    world.rebuild_queue().advance()
    assert (world.rebuild_queue().get(asked.id).state, world.states()) == ("done", ["live", "retired"])
    assert world.builds.current() is None


def test_claims_made_during_a_rollback_write_to_both(world: World) -> None:
    fill(world)
    world.rebuilder.build()
    change(world)

    def edit(_progress: Progress) -> None:
        world.save(raw_page("p5", {"content": "edited meanwhile"}))

    world.rebuilder.rollback(show=edit)
    assert world.served(1) == world.served(2) == world.wanted()


def test_pages_that_can_no_longer_be_indexed_keep_their_version_there_and_are_not_lost(world: World) -> None:
    fill(world)
    world.rebuilder.build()
    world.pipeline._max_chunks = 0
    world.store.accept([Save(page=raw_page(f"p{n}", {"content": "edited"})) for n in range(3)])
    world.drain()
    back = world.rebuilder.rollback()
    assert [failure.reason for failure in back.failures.values()] == ["too_large"] * 3
    assert [world.served()[name] for name in ("p0", "p1", "p2")] == [1, 2, 3]


def test_a_generation_whose_embedder_cannot_be_built_does_not_come_back(world: World) -> None:
    fill(world)
    world.change_embedder(64)
    world.rebuilder.build()
    world.uninstall_embedder(512)
    with pytest.raises(PluginError):
        world.rebuilder.rollback()
    assert world.states() == ["retired", "live"]
