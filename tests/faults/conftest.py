"""Installations with a real Redis that the tests of a module share."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.contracts.conftest import databases
from tests.faults.installation import Installation, running
from tests.faults.seeds import seeded
from tests.services.redis import RedisServer

Shelf = dict[str, tuple[Installation, ExitStack]]
StartInstallation = Callable[..., Installation]
_BROKERS: Final = {"postgresql": 0, "sqlite": 1}
_PASSED: Final = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test passed."""
    report = yield
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest.fixture
def random(request: pytest.FixtureRequest) -> Random:
    """What a test chooses by chance."""
    return seeded(request.node.name)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    """The installations of a module that are at rest, by their databases."""
    shelf: Shelf = {}
    yield shelf
    for _, stack in shelf.values():
        stack.close()


@pytest.fixture
def installation(
    request: pytest.FixtureRequest,
    shelf: Shelf,
    private_redis: RedisServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Installation]:
    """Server, schedule and a worker run. Pages lie in PostgreSQL, or in the database that is the fixture's
    parameter; those of earlier tests are there. After a test that failed the next one gets another."""
    kind = getattr(request, "param", "postgresql")
    if kind not in shelf:
        folder = tmp_path_factory.mktemp("installation")
        with ExitStack() as stack:
            new_database = stack.enter_context(databases(kind, request, folder))
            url = "" if kind == "sqlite" else new_database().render_as_string(hide_password=False)
            broker_url = f"{private_redis.url[:-1]}{_BROKERS[kind]}"
            made = stack.enter_context(running(folder, broker_url=broker_url, database_url=url))
            shelf[kind] = made, stack.pop_all()
    yield shelf[kind][0]
    if not request.node.stash.get(_PASSED, False):
        private_redis.mend()
        shelf.pop(kind)[1].close()


@pytest.fixture
def start_installation(tmp_path: Path, private_redis: RedisServer) -> Iterator[StartInstallation]:
    """Starts an installation of the test's own, in SQLite unless its settings say otherwise."""
    with private_redis.client() as client:
        client.flushall()
    with ExitStack() as stack:

        def start(**settings: Any) -> Installation:
            return stack.enter_context(running(tmp_path, broker_url=f"{private_redis.url[:-1]}2", **settings))

        yield start
