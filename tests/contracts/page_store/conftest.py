"""Runs the suite against every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import URL, Engine

from app.pages.builds import Builds
from app.pages.database import open_engine
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
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
def engine(url: URL) -> Iterator[Engine]:
    engine = open_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> PageStore:
    return PageStore(engine, clock=clock)


@pytest.fixture
def page_list(engine: Engine) -> PageList:
    return PageList(engine)


@pytest.fixture
def deliveries(engine: Engine, clock: Clock) -> Deliveries:
    return Deliveries(engine, clock)


@pytest.fixture
def builds(engine: Engine, clock: Clock) -> Builds:
    return Builds(engine, clock)
