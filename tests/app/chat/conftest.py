"""The scripted endpoint and clients to it."""

from collections.abc import Iterator

import pytest

from app.chat.model.client import ChatModel
from tests.fakes.llm import FakeLlm


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def model(llm: FakeLlm) -> ChatModel:
    """Patient enough for a busy machine."""
    return ChatModel(llm.base_url, "secret-key", "fake")


@pytest.fixture
def hasty(llm: FakeLlm) -> ChatModel:
    """Deadlines that a test can wait for."""
    return ChatModel(llm.base_url, "", "fake", first_token_seconds=0.5, idle_seconds=0.3, answer_seconds=1.2)
