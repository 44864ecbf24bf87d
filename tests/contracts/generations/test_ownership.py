"""One index, one page store: what belongs to another installation, or was left for another index."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.errors import (
    EmptyIndexError,
    ForeignIndexError,
    IndexUnavailableError,
    LostPageStoreError,
    NeedsAttentionError,
)
from app.indexing.progress import Progress
from app.search.embedded import EmbeddedIndex
from app.search.index import SearchIndex
from ingest.types import Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch
from tests.contracts.generations.test_rebuild import TOWN, fill
from tests.fakes.world import World, raw_page


@pytest.fixture
def other(world: World, tmp_path: Path) -> Iterator[World]:
    """Another installation, whose settings name the same index by mistake."""
    fill(world)
    folder = tmp_path / "other"
    folder.mkdir()
    with closing(World(folder, index=world.index)) as other:
        yield other


@everywhere
def test_another_installation_can_neither_ask_nor_write(world: World, other: World) -> None:
    other.store.accept([Save(page=raw_page("p0", {"content": "foreign"}))])
    for call in (
        lambda: other.retriever.retrieve("Where is page number7 of the town?", sources=TOWN),
        lambda: other.retriever.retrieve("number7", sources=TOWN),
        other.indexer.sync_pages,
        other.rebuilder.build,
        other.rebuilder.rollback,
        lambda: other.rebuilder.requeue("town"),
    ):
        with pytest.raises(ForeignIndexError, match=r"belongs to another installation.*--take-over"):
            call()
    assert other.store.counts() == {"waiting": 1}
    assert (world.states(), world.served()) == (["live"], world.wanted())


@with_elasticsearch
def test_another_installation_leaves_a_build_alone(world: World, other: World) -> None:
    world.builds.begin("builder")
    building = world.index.create(world.recipe(), world.store.id).number
    other.generations.clean_up()
    with pytest.raises(ForeignIndexError):
        other.generations.drop(building)
    assert world.states() == ["live", "building"]


@with_elasticsearch
def test_an_index_is_taken_over_on_purpose(world: World, other: World) -> None:
    other.store.accept([Save(page=raw_page("new", {"content": "text"}))])
    rebuilt = other.rebuilder.build(take_over=True)
    assert (rebuilt.pages, rebuilt.kept) == (1, None)
    assert other.served().keys() == {"new"}
    with pytest.raises(ForeignIndexError):
        world.retriever.retrieve("number7", sources=TOWN)
    other.rebuilder.build()
    assert world.states() == ["retired", "retired", "live"]
    world.rebuilder.build(take_over=True)
    assert world.served() == world.wanted()


@everywhere
def test_an_empty_page_store_is_told_to_be_restored_and_empties_no_index(world: World, other: World) -> None:
    world.index.refresh()
    for call in (other.rebuilder.build, other.rebuilder.rollback, other.generations.check_live):
        with pytest.raises(LostPageStoreError, match=r"page store is empty.*restore the page store"):
            call()
    with pytest.raises(EmptyIndexError, match=r"none of the \d+ pages.*--confirm-deletions"):
        other.rebuilder.build(take_over=True)
    queue = other.rebuild_queue()
    queue.request(take_over=True)
    while queue.advance():
        pass
    assert queue.all()[0].state == "needs_attention"
    assert (world.states(), world.served()) == (["live"], world.wanted())
    assert other.rebuilder.build(take_over=True, may_be_empty=True).pages == 0


def test_an_empty_index_of_another_page_store_is_lost_by_nobody(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    with closing(World(folder, index=world.index)) as other:
        with pytest.raises(ForeignIndexError, match="belongs to another installation"):
            other.generations.check_live()
        assert other.rebuilder.build(take_over=True).pages == 0


@with_elasticsearch
def test_an_index_that_is_taken_over_during_a_rebuild_is_not_taken_back(world: World, other: World) -> None:
    taken: list[int] = []

    def take_over(_progress: Progress) -> None:
        if not taken:
            taken.append(other.rebuilder.build(take_over=True, may_be_empty=True).number)

    with pytest.raises(ForeignIndexError):
        world.rebuilder.build(take_over)
    live = other.index.live()
    assert live is not None
    assert (live.number, live.owner) == (taken[0], other.store.id)


def test_a_page_store_that_lost_its_pages_does_not_empty_the_index(world: World) -> None:
    """Its identity alone does not tell that it is complete."""
    fill(world)
    strangers = [world.pipeline.build(raw_page(f"x{n}", {"content": "text"}), 7) for n in range(20)]
    world.index.write(1, strangers)
    with pytest.raises(NeedsAttentionError, match=r"20 unknown.*--take-over"):
        world.rebuilder.build()
    assert world.rebuilder.build(take_over=True).pages == 40


@pytest.fixture
def elsewhere(world: World, tmp_path: Path) -> Iterator[World]:
    """The same installation with settings that name another index, which it has not used yet."""
    fill(world)
    with (
        closing(EmbeddedIndex(tmp_path / "elsewhere")) as index,
        closing(World(tmp_path, index=index, location="elsewhere", database=world.engine)) as elsewhere,
    ):
        yield elsewhere


def test_pages_are_not_written_to_another_index_than_the_one_they_are_in(
    world: World, elsewhere: World
) -> None:
    world.store.accept([Save(page=raw_page("new", {"content": "text"}))])
    with pytest.raises(IndexUnavailableError, match=r"last indexed into embedded, .* say elsewhere"):
        elsewhere.indexer.sync_pages()
    assert elsewhere.states() == []
    world.drain()
    assert world.served() == world.wanted()


def test_an_index_of_long_ago_is_not_used_before_it_is_rebuilt(world: World, elsewhere: World) -> None:
    elsewhere.rebuilder.build()
    elsewhere.save(raw_page("new", {"content": "text"}))
    world.store.accept([Save(page=raw_page("p0", {"content": "edited"}))])
    with pytest.raises(IndexUnavailableError, match="last indexed into elsewhere"):
        world.indexer.sync_pages()
    world.rebuilder.build()
    assert world.served() == world.wanted()
    assert (world.store.indexed_in(), world.store.pending()) == ("embedded", 0)


def test_what_is_written_to_the_index_before_while_a_new_one_is_built_is_in_both(
    world: World, elsewhere: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote = elsewhere.index.promote

    def save_meanwhile(number: int) -> None:
        world.save(raw_page("late", {"content": "saved before the switch was recorded"}))
        promote(number)

    monkeypatch.setattr(elsewhere.index, "promote", save_meanwhile)
    elsewhere.rebuilder.build()
    assert world.store.pending() == 0
    assert elsewhere.served() == world.wanted()


def test_an_installation_in_use_gets_no_empty_generation_while_its_pages_are_written_again(
    world: World, tmp_path: Path
) -> None:
    fill(world, 2)
    world.store.requeue("town")
    with (
        closing(EmbeddedIndex(tmp_path / "lost")) as lost,
        closing(World(tmp_path, index=lost, database=world.engine)) as again,
    ):
        assert again.states() == []


@with_elasticsearch
def test_an_index_from_before_owners_is_its_page_stores(tmp_path: Path, index: SearchIndex) -> None:
    with closing(World(tmp_path, index=index)) as world:
        fill(world, 2)
        world.index.promote(world.index.create(world.recipe()).number)
        world.store.set_indexed_in("")
    with closing(World(tmp_path, index=index)) as again:
        assert again.store.indexed_in() == "embedded"
        assert again.rebuilder.build().pages == 2
