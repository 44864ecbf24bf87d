"""Nodes are upgraded to the next major version one by one, while visitors ask and editors save."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pytest

from app.search.elastic import ElasticIndex
from app.services.elastic import elastic_options
from ingest.types import Save
from tests.cluster.conftest import cluster_settings
from tests.cluster.visitors import Visitors, tried_twice
from tests.fakes.world import World, raw_page
from tests.services import MissingServiceError, outcome
from tests.services.cluster import Cluster
from tests.services.elasticsearch import NEWEST, OLDER, newest

PAGES: Final = 60


@pytest.fixture
def older() -> Iterator[Cluster]:
    """A cluster of the oldest version that is supported."""
    if newest() != NEWEST:
        pytest.skip("no Java here runs the newest Elasticsearch")
    try:
        with Cluster(version=OLDER) as cluster:
            yield cluster
    except MissingServiceError as missing:
        raise outcome(missing) from None


class Editor:
    """A thread that saves a page of another source after the other, and has it indexed, until the end of the
    ``with`` block. ``saved``: how many; ``errors``: what a second attempt did not mend."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._save)
        self.saved = 0
        self.errors: list[Exception] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaving.set()
        self._thread.join()

    def _save(self) -> None:
        while not self._leaving.wait(0.1):
            page = raw_page(f"c{self.saved}", {"content": f"County {self.saved}"}, source="county")
            try:
                self._world.store.accept([Save(page=page)])
                self.saved += 1
                tried_twice(lambda: self._world.indexer.sync_pages(limit=8))
            except Exception as error:  # noqa: BLE001 - the test shows it
                self.errors.append(error)


def test_no_question_fails_no_page_is_lost_and_a_rebuild_is_advised_at_the_end(
    older: Cluster, tmp_path: Path
) -> None:
    settings = cluster_settings(older)
    with (
        closing(ElasticIndex(elastic_options(settings))) as index,
        closing(World(tmp_path, index=index)) as world,
    ):
        world.store.accept([Save(page=raw_page(f"p{n}", {"content": f"Page {n}"})) for n in range(PAGES)])
        world.drain()
        index.refresh()
        asked = world.wanted()
        with Visitors(world) as visitors, Editor(world) as editor:
            for name in older.names:
                visitors.wait_for_more()
                assert index.advice() is None
                older.upgrade(name, NEWEST)
                older.wait_until_green()
            visitors.wait_for_more()
        assert (visitors.errors, visitors.answers) == ([], {frozenset(asked)})
        assert editor.errors == []
        assert editor.saved > 0
        world.drain()
        assert world.store.counts() == {"indexed": PAGES + editor.saved}
        assert world.served(1) == world.wanted()
        assert "the settings say bfloat16: run `auskunft reindex`" in str(index.advice())
        with Visitors(world) as visitors:
            assert world.rebuilder.build().number == 2
            visitors.wait_for_more()
        assert visitors.errors == []
        assert world.served(2) == world.wanted()
        assert index.advice() is None
