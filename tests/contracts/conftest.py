"""Every implementation of what the contract suites test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.search.embedded import EmbeddedIndex
from app.search.index import SearchIndex
from tests.services.indices import elastic_index


@pytest.fixture(params=["embedded", pytest.param("elasticsearch", marks=pytest.mark.elasticsearch)])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    """An empty search index."""
    if request.param == "embedded":
        embedded = EmbeddedIndex(tmp_path / "index")
        yield embedded
        embedded.close()
        return
    url: str = request.getfixturevalue("elasticsearch")
    with elastic_index(url) as index:
        yield index
