"""What the page store keeps of a page cannot be read: all others come to the index, whatever brings them."""

import pytest

from app.errors import NeedsAttentionError
from ingest.types import PageRef, Save
from tests.contracts.generations.conftest import with_postgresql
from tests.contracts.generations.test_rebuild import fill
from tests.contracts.generations.test_rebuild_queue import work
from tests.fakes.world import World, raw_page

DAMAGED = PageRef(source="town", id="p17", language="en")


def damage(world: World, *numbers: int) -> None:
    """Shorten what is kept of these pages behind the page store's back."""
    names = ", ".join(f"'p{number}'" for number in numbers)
    with world.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE bodies SET body = substr(body, 1, 20) WHERE id IN ({names})")


def save_again(world: World, number: int) -> None:
    """The same content that :func:`fill` gave the page."""
    world.store.accept([Save(page=raw_page(f"p{number}", {"content": f"Page number{number} of the town."}))])


@with_postgresql
def test_its_pages_are_written_again_and_it_fails_until_it_is_saved(world: World) -> None:
    fill(world)
    damage(world, 17)
    world.rebuilder.requeue("town")
    world.drain()
    assert world.store.counts() == {"indexed": 39, "failed": 1}
    (failed,) = world.page_list.records(state="failed")
    assert (failed.ref, failed.reason.partition(":")[0]) == (DAMAGED, "damaged")
    save_again(world, 17)
    world.drain()
    assert world.store.counts() == {"indexed": 40}
    assert world.served() == world.wanted()


@with_postgresql
def test_a_rebuild_lists_it_and_goes_live_with_all_others(world: World) -> None:
    fill(world)
    damage(world, 17)
    rebuilt = world.rebuilder.build()
    assert (rebuilt.pages, rebuilt.failures[DAMAGED].reason) == (39, "damaged")
    assert world.store.counts() == {"indexed": 39, "failed": 1}
    save_again(world, 17)
    world.drain()
    assert world.served() == world.wanted()
    assert len(world.wanted()) == 40


def test_a_rebuild_through_the_queue_lists_it_and_goes_live_with_all_others(world: World) -> None:
    fill(world)
    damage(world, 17)
    asked = world.rebuild_queue().request()
    work(world.rebuild_queue())
    done = world.rebuild_queue().get(asked.id)
    assert (done.state, done.written, done.failed) == ("done", 39, 1)
    assert world.store.counts() == {"indexed": 39, "failed": 1}


def test_where_many_are_damaged_the_old_generation_goes_on_serving(world: World) -> None:
    fill(world)
    damage(world, *range(10))
    with pytest.raises(
        NeedsAttentionError, match=r"10 of the 40 pages that are served would be lost \(10 damaged"
    ):
        world.rebuilder.build()
    assert world.states() == ["live"]
    assert len(world.served()) == 40


def test_a_damaged_page_alone_is_no_deletion(world: World) -> None:
    fill(world, 1)
    damage(world, 0)
    world.rebuilder.requeue("town")
    world.drain()
    assert world.store.counts() == {"failed": 1}
    assert len(world.served()) == 1
