"""A small installation with a scripted model that writes contexts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.features.contexts.scripted import writes_contexts
from tests.app.features.contexts.scriptorium import Scriptorium
from tests.contracts.conftest import new_database
from tests.contracts.page_store.conftest import clock, engine, url
from tests.fakes.llm import FakeLlm
from tests.faults.conftest import start_installation

__all__ = ["clock", "engine", "new_database", "start_installation", "url"]


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A model that writes contexts from titles and headings."""
    with FakeLlm() as fake:
        fake.answer = writes_contexts
        yield fake


@pytest.fixture
def scriptorium(tmp_path: Path, llm: FakeLlm) -> Iterator[Scriptorium]:
    """An installation whose contexts that model writes."""
    made = Scriptorium(tmp_path, llm)
    yield made
    made.world.close()
