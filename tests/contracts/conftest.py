"""Every implementation of what the contract suites test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import URL

from app.search.embedded import EmbeddedIndex
from app.search.index import SearchIndex
from tests.fakes.databases import new_sqlite
from tests.services.databases import empty_database
from tests.services.indices import elastic_index

NewDatabase = Callable[[], URL]
DATABASES: Final = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
"""The databases that a page store can live in."""


@pytest.fixture(params=DATABASES)
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewDatabase]:
    """Makes empty databases for page stores."""
    with databases(request.param, request, tmp_path) as make:
        yield make


@contextmanager
def databases(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[NewDatabase]:
    """Makes empty databases of one of ``DATABASES``, until the end of the block."""
    if kind == "sqlite":
        numbers = count()
        yield lambda: new_sqlite(folder / f"pages{next(numbers) or ''}.sqlite")
        return
    server: str = request.getfixturevalue("postgresql")
    template: str = request.getfixturevalue("postgresql_template")
    with ExitStack() as made:
        yield lambda: made.enter_context(empty_database(server, template))


INDEXES: Final = ["embedded", pytest.param("elasticsearch", marks=pytest.mark.elasticsearch)]
older_too: Final = pytest.mark.parametrize(
    "index",
    [*INDEXES, pytest.param("older_elasticsearch", marks=pytest.mark.elasticsearch)],
    indirect=True,
)
"""What versions of Elasticsearch do differently: vectors and how their chunks are scored."""


@pytest.fixture(params=INDEXES)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    """An empty search index."""
    with search_index(request.param, request, tmp_path) as index:
        yield index


@contextmanager
def search_index(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[SearchIndex]:
    """An empty search index of a kind, until the end of the block."""
    if kind == "embedded":
        embedded = EmbeddedIndex(folder / "index")
        yield embedded
        embedded.close()
        return
    url: str = request.getfixturevalue(kind)
    # The suites compare cosines with exact ones.
    with elastic_index(url, elasticsearch_element_type="float") as index:
        yield index
