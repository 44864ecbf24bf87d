"""Runs the suite against every database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.pages.database import Database
from app.pages.store import PageStore
from tests.contracts.page_store.helpers import DATABASES, Clock


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    make: Callable[[Path], Database] = request.param
    return make(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: Database, clock: Clock) -> Iterator[PageStore]:
    store = PageStore(url, clock=clock)
    yield store
    store.engine.dispose()
