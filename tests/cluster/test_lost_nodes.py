"""A node of a cluster is lost at the worst moment: callers try at most once more, and no page is lost.

Every index has a replica; the node is killed as by a power failure, and comes back with its data.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final

import pytest

from app.indexing.progress import Progress
from app.settings.settings import Settings
from ingest.types import Save
from tests.cluster.visitors import Visitors, tried_twice
from tests.fakes.world import World, raw_page
from tests.services.cluster import Cluster

PAGES: Final = 120

Kill = Callable[[str], Future[None]]


@pytest.fixture
def kill(cluster: Cluster) -> Iterator[Kill]:
    """Kill a node beside what the test does."""
    with ThreadPoolExecutor(1) as beside:
        yield lambda name: beside.submit(cluster.kill, name)


def accept(world: World) -> None:
    """Pages that wait to be indexed."""
    world.store.accept([Save(page=raw_page(f"p{n}", {"content": f"Page {n}"})) for n in range(PAGES)])


def fill(world: World) -> None:
    """The pages, indexed and found."""
    accept(world)
    world.drain()
    world.index.refresh()


def live(world: World, cluster: Cluster, settings: Settings) -> int:
    """The one generation with the alias, which must have every page, also in its replicas."""
    prefix = settings.elasticsearch_prefix
    [index] = cluster.client.indices.get_alias(name=prefix).body
    number = int(index.removeprefix(f"{prefix}-"))
    assert world.served(number) == world.wanted()
    return number


def test_visitors_are_answered_while_the_master_is_lost(
    world: World, cluster: Cluster, settings: Settings, kill: Kill
) -> None:
    fill(world)
    with Visitors(world) as visitors:
        visitors.wait_for_more()
        kill(cluster.master()).result()
        visitors.wait_for_more()
        cluster.restore()
        visitors.wait_for_more()
    assert (visitors.errors, visitors.answers) == ([], {frozenset(world.wanted())})
    assert live(world, cluster, settings) == 1


def test_pages_that_are_written_while_a_primary_is_lost_are_all_found(
    world: World, cluster: Cluster, settings: Settings, kill: Kill
) -> None:
    accept(world)
    killed = None
    while tried_twice(lambda: world.indexer.sync_pages(limit=8)):
        killed = killed or kill(cluster.primary(settings.elasticsearch_prefix))
    assert killed is not None
    killed.result()
    assert world.store.counts() == {"indexed": PAGES}
    assert live(world, cluster, settings) == 1
    cluster.restore()
    assert live(world, cluster, settings) == 1


def test_a_rebuild_ends_although_the_master_is_lost(
    world: World, cluster: Cluster, settings: Settings, kill: Kill
) -> None:
    fill(world)
    killed: list[Future[None]] = []

    def kill_master(progress: Progress) -> None:
        if progress.done and not killed:
            killed.append(kill(cluster.master()))

    with Visitors(world) as visitors:
        rebuilt = world.rebuilder.build(kill_master)
    assert (rebuilt.number, rebuilt.pages, rebuilt.failures) == (2, PAGES, {})
    killed.pop().result()
    assert len(world.pauses) <= 1
    assert (visitors.errors, visitors.answers) == ([], {frozenset(world.wanted())})
    assert live(world, cluster, settings) == 2
    cluster.restore()
    assert live(world, cluster, settings) == 2
    assert world.states() == ["retired", "live"]


def test_a_promotion_takes_place_although_the_master_is_lost(
    world: World, cluster: Cluster, settings: Settings, kill: Kill
) -> None:
    """Generations of the same pages go live by turns until the master is gone, and then once more each."""
    fill(world)
    world.rebuilder.build()
    with Visitors(world) as visitors:
        killed = kill(cluster.master())
        promoted = 2
        while not killed.done():
            promoted = 3 - promoted
            tried_twice(partial(world.index.promote, promoted))
        for number in (promoted, 3 - promoted):
            tried_twice(partial(world.index.promote, number))
        visitors.wait_for_more()
    killed.result()
    assert (visitors.errors, visitors.answers) == ([], {frozenset(world.wanted())})
    assert live(world, cluster, settings) == 3 - promoted
    cluster.restore()
    assert live(world, cluster, settings) == 3 - promoted
    assert sorted(world.states()) == ["live", "retired"]
