"""An installation on a cluster of three nodes, and visitors who ask it all the time."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.search.elastic import ElasticIndex
from app.services.elastic import elastic_options
from app.settings.settings import Settings
from tests.fakes.world import World
from tests.services import MissingServiceError, outcome
from tests.services.cluster import Cluster
from tests.services.indices import delete_prefix, elastic_settings


@pytest.fixture(scope="session")
def nodes() -> Iterator[Cluster]:
    """The nodes, which all tests share."""
    try:
        with Cluster() as cluster:
            yield cluster
    except MissingServiceError as missing:
        raise outcome(missing) from None


@pytest.fixture
def cluster(nodes: Cluster) -> Iterator[Cluster]:
    """The nodes, all running and again after the test."""
    yield nodes
    nodes.restore()


@pytest.fixture
def settings(cluster: Cluster) -> Iterator[Settings]:
    """Those of an index on the cluster, which is deleted after the test."""
    chosen = cluster_settings(cluster)
    yield chosen
    delete_prefix(cluster.client, chosen.elasticsearch_prefix)


@pytest.fixture
def index(settings: Settings) -> Iterator[ElasticIndex]:
    """An empty index that knows all nodes."""
    with closing(ElasticIndex(elastic_options(settings))) as index:
        yield index


@pytest.fixture
def world(index: ElasticIndex, tmp_path: Path) -> Iterator[World]:
    """An installation with generation 1 live."""
    world = World(tmp_path, index=index)
    yield world
    world.close()


def cluster_settings(cluster: Cluster) -> Settings:
    """An index of three shards with a copy each. Searches may take as long as the machine is busy."""
    return elastic_settings(
        ",".join(cluster.urls),
        elasticsearch_shards=3,
        elasticsearch_replicas=1,
        elasticsearch_search_seconds=120,
        elasticsearch_bulk_seconds=120,
    )
