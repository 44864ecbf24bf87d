"""Fixtures of the browser tests: a browser, a town's website, and the service that its chat asks."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.scripted import ScriptedService
from tests.browser.town import serving, serving_demo
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm, Reply
from tests.services import MissingServiceError, outcome
from tests.services.chromium import axe_script
from tests.services.fixtures import BROWSER_PATIENCE_MS

StartVisit = Callable[..., Visit]


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core; skips, or fails, where it cannot be had."""
    try:
        return axe_script()
    except MissingServiceError as missing:
        raise outcome(missing) from None


@pytest.fixture(scope="session")
def website() -> Iterator[Website]:
    """The town's website."""
    with Website() as site:
        yield site


@pytest.fixture
def scripted() -> Iterator[ScriptedService]:
    """A service that does what the test says."""
    with ScriptedService() as service:
        yield service


@pytest.fixture(scope="session")
def shared_llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def llm(shared_llm: FakeLlm) -> FakeLlm:
    """The real service's language model, with nothing scripted or recorded."""
    shared_llm.default = Reply()
    while shared_llm.next_reply({}) is not shared_llm.default:
        pass
    shared_llm.requests.clear()
    return shared_llm


@pytest.fixture(scope="session")
def service(website: Website, shared_llm: FakeLlm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real service."""
    with serving(tmp_path_factory.mktemp("service"), website.address, shared_llm) as address:
        yield address


@pytest.fixture(scope="session")
def demo(shared_llm: FakeLlm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the demo."""
    with serving_demo(tmp_path_factory.mktemp("demo"), shared_llm) as address:
        yield address


@pytest.fixture
def visit(browser: Browser) -> Iterator[StartVisit]:
    """Start visits, each like a new browser; takes the options of a browser context.

    Whatever a test does: no script may break, no other host may be asked, and no cookie may be set.
    """
    with ExitStack() as stack:
        visits: list[Visit] = []

        def start(**options: Any) -> Visit:
            context = browser.new_context(**options)
            context.set_default_timeout(BROWSER_PATIENCE_MS)
            stack.callback(context.close)
            visits.append(Visit(context))
            return visits[-1]

        yield start
        for each in visits:
            assert each.errors == []
            assert each.hosts <= {"127.0.0.1"}
            assert each.page.context.cookies() == []
