"""An index on the shared server, and a client to look at it and break it."""

from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from app.search.elastic import ElasticIndex, ElasticOptions
from app.services.elastic import elastic_options
from app.settings.settings import Settings
from tests.contracts.embedded_pages import RECIPE
from tests.services.indices import delete_prefix, elastic_settings


@pytest.fixture
def admin(elasticsearch: str) -> Iterator[Elasticsearch]:
    """A client of the shared server."""
    with Elasticsearch(elasticsearch, request_timeout=30) as client:
        yield client


@pytest.fixture
def settings(elasticsearch: str, admin: Elasticsearch) -> Iterator[Settings]:
    """Settings for a prefix of the test's own, with nothing there yet."""
    chosen = elastic_settings(elasticsearch)
    yield chosen
    delete_prefix(admin, chosen.elasticsearch_prefix)


@pytest.fixture
def options(settings: Settings) -> ElasticOptions:
    """What an index of that prefix is opened with."""
    return elastic_options(settings)


@pytest.fixture
def index(options: ElasticOptions) -> Iterator[ElasticIndex]:
    """An index without generations."""
    opened = ElasticIndex(options)
    yield opened
    opened.close()


@pytest.fixture
def live(index: ElasticIndex) -> int:
    """The number of its empty live generation."""
    number = index.create(RECIPE).number
    index.promote(number)
    return number
