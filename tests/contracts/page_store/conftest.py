"""Runs the suite against every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import URL

from app.pages.database import Database
from app.pages.store import PageStore
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import Clock


@pytest.fixture
def url(new_database: NewDatabase) -> URL:
    return new_database()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: Database, clock: Clock) -> Iterator[PageStore]:
    store = PageStore(url, clock=clock)
    yield store
    store.engine.dispose()
