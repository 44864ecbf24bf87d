"""A server over the sample site, and programs of other people in the same environment."""

import importlib.util
from collections.abc import Iterator

import pytest

from app.demo import site
from tests.app.serving.test_server import COMMAND, environment, serving
from tests.fakes.command import Command
from tests.services import MissingServiceError, outcome


@pytest.fixture(scope="session")
def installed() -> None:
    """Need LangChain and Haystack."""
    if not all(importlib.util.find_spec(name) for name in ("langchain_core", "haystack")):
        raise outcome(
            MissingServiceError("LangChain and Haystack are not installed: make test-programs does that")
        )


@pytest.fixture(scope="session")
def address(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server's address."""
    command = Command(tmp_path_factory.mktemp("programs"))
    assert command.run("index", site()).code == 0
    env = environment(command.data)
    with serving([*COMMAND, "serve", "--port", "0"], env) as (_, url):
        yield url
