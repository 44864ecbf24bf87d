"""Fixtures that hand real services to tests."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.services import MissingServiceError, outcome
from tests.services.chromium import chromium
from tests.services.databases import template_database
from tests.services.elasticsearch import OLDER, Elasticsearch
from tests.services.postgresql import Postgresql
from tests.services.redis import RedisServer

StartElasticsearch = Callable[..., Elasticsearch]
BROWSER_PATIENCE_MS = 20_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Of a module, because while Playwright drives it, its thread can run no other event loop."""
    expect.set_options(timeout=BROWSER_PATIENCE_MS)
    with ExitStack() as stack:
        try:
            started = stack.enter_context(chromium())
        except MissingServiceError as missing:
            raise outcome(missing) from None
        yield started


@pytest.fixture(scope="session")
def elasticsearch() -> Iterator[str]:
    """The address of a server without security that all tests share: use names of your own in it.

    It is the one at ``AUSKUNFT_TEST_ELASTICSEARCH_URL``, else one that is started for the session.
    """
    if url := os.environ.get("AUSKUNFT_TEST_ELASTICSEARCH_URL"):
        yield url
        return
    with started() as server:
        yield server.url


@pytest.fixture(scope="session")
def older_elasticsearch() -> Iterator[str]:
    """The address of another such server, of the oldest version that is supported."""
    with started(version=OLDER) as server:
        yield server.url


@pytest.fixture
def private_elasticsearch() -> Iterator[StartElasticsearch]:
    """Start servers that the test may break; takes the options of ``Elasticsearch``, ends with the test."""
    with ExitStack() as servers:
        yield lambda **options: servers.enter_context(started(**options))


@contextmanager
def started(**options: Any) -> Iterator[Elasticsearch]:
    """A server with these options of ``Elasticsearch``; skips, or fails, where none can be had."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(Elasticsearch(**options))
        except MissingServiceError as missing:
            raise outcome(missing) from None
        yield server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL whose user may make databases, for tests to make their own.

    It is the one at ``AUSKUNFT_TEST_POSTGRESQL_URL``, else one that is started for the session.
    """
    if url := os.environ.get("AUSKUNFT_TEST_POSTGRESQL_URL"):
        yield url
        return
    with started_postgresql() as server:
        yield server.url


@pytest.fixture(scope="session")
def postgresql_template(postgresql: str) -> Iterator[str]:
    """The name of a database of that server with the page store's tables, to make others from."""
    with template_database(postgresql) as name:
        yield name


@pytest.fixture
def private_postgresql() -> Iterator[Postgresql]:
    """A server that the test may break: it keeps what was committed when it is killed."""
    with started_postgresql(durable=True) as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[str]:
    """The address of a Redis that all tests share, one after the other, emptied as they please.

    It is the one at ``AUSKUNFT_TEST_REDIS_URL``, else one that is started for the session.
    """
    if url := os.environ.get("AUSKUNFT_TEST_REDIS_URL"):
        yield url
        return
    with started_redis() as server:
        yield server.url


@pytest.fixture(scope="module")
def private_redis() -> Iterator[RedisServer]:
    """A server that the tests of a module may break, as long as they mend it."""
    with started_redis() as server:
        yield server


@contextmanager
def started_redis() -> Iterator[RedisServer]:
    """A server; skips, or fails, where none can be had."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(RedisServer())
        except MissingServiceError as missing:
            raise outcome(missing) from None
        yield server


@contextmanager
def started_postgresql(*, durable: bool = False) -> Iterator[Postgresql]:
    """A server; skips, or fails, where none can be had."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(Postgresql(durable=durable))
        except MissingServiceError as missing:
            raise outcome(missing) from None
        yield server
