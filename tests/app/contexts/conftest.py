"""A small installation with a scripted model that writes contexts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.contexts.scriptorium import Scriptorium
from tests.fakes.contexts import writes_contexts
from tests.fakes.llm import FakeLlm


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
