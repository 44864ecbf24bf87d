"""An installation over each search index, and over each database of pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.search.index import SearchIndex
from tests.contracts.conftest import databases, search_index
from tests.fakes.world import World

INSTALLATIONS = [
    pytest.param(("embedded", "sqlite"), id="embedded"),
    pytest.param(("elasticsearch", "sqlite"), id="elasticsearch", marks=pytest.mark.elasticsearch),
    pytest.param(("embedded", "postgresql"), id="postgresql", marks=pytest.mark.postgresql),
]
WITH_FILES = INSTALLATIONS[:2]
"""Those whose page store is a file."""


@pytest.fixture(params=INSTALLATIONS)
def kinds(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Which index and which database."""
    kinds: tuple[str, str] = request.param
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
