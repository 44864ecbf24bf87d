"""Runs the suite against every database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.pages.store import PageStore
from tests.contracts.page_store.helpers import DATABASES, Clock


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(request.param(tmp_path))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock) -> Iterator[PageStore]:
    store = PageStore(url, clock=clock)
    yield store
    store.engine.dispose()
