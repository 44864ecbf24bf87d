"""An installation over each search index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.search.index import SearchIndex
from tests.fakes.world import World


@pytest.fixture
def world(tmp_path: Path, index: SearchIndex) -> Iterator[World]:
    """An empty installation with generation 1 live."""
    world = World(tmp_path, index=index)
    yield world
    world.close()
