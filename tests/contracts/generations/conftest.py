"""An installation on the embedded index and SQLite, and on others where those may differ."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.search.index import SearchIndex
from tests.contracts.conftest import databases, search_index
from tests.fakes.world import World

EMBEDDED: Final = ("embedded", "sqlite")
_HERE: Final = pytest.param(EMBEDDED, id="embedded")
_ELASTICSEARCH: Final = pytest.param(
    ("elasticsearch", "sqlite"), id="elasticsearch", marks=pytest.mark.elasticsearch
)
_POSTGRESQL: Final = pytest.param(("embedded", "postgresql"), id="postgresql", marks=pytest.mark.postgresql)

with_elasticsearch: Final = pytest.mark.parametrize("kinds", [_HERE, _ELASTICSEARCH], indirect=True)
"""What rests on the index: whole generations made, switched and dropped, answers that come late or never."""

with_postgresql: Final = pytest.mark.parametrize("kinds", [_HERE, _POSTGRESQL], indirect=True)
"""What rests on the database: who holds a lease or a claim, what each dialect stores."""

everywhere: Final = pytest.mark.parametrize("kinds", [_HERE, _ELASTICSEARCH, _POSTGRESQL], indirect=True)
"""What rests on both: that the index ends as the page store says."""


@pytest.fixture
def kinds(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Which index and which database."""
    kinds: tuple[str, str] = getattr(request, "param", EMBEDDED)
    return kinds


@pytest.fixture
def index(request: pytest.FixtureRequest, kinds: tuple[str, str], tmp_path: Path) -> Iterator[SearchIndex]:
    """An empty search index."""
    with search_index(kinds[0], request, tmp_path) as index:
        yield index


@pytest.fixture
def world(
    request: pytest.FixtureRequest, kinds: tuple[str, str], index: SearchIndex, tmp_path: Path
) -> Iterator[World]:
    """An empty installation with generation 1 live."""
    with databases(kinds[1], request, tmp_path) as new_database:
        world = World(tmp_path, index=index, database=new_database())
        yield world
        world.close()
