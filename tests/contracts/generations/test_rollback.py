"""Going back to an earlier generation."""

import pytest

from app.errors import EmbedderUnavailableError, InputError, NotFoundError, PluginError
from app.indexing.progress import Progress
from ingest.types import Delete, Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch
from tests.fakes.world import World, raw_page


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
    with pytest.raises(NotFoundError, match="there is no generation 7: known are 1"):
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
