"""Whose fault a failure is: the model's that is away, or one chunk's."""

import pytest

from app.errors import ModelError, ModelFailure
from app.features.contexts.outage import MOST_SUSPICIONS, OutageDetector, is_too_much


@pytest.mark.parametrize("kind", ["unreachable", "rate_limited"])
def test_a_server_that_cannot_be_reached_is_away_at_once(kind: ModelFailure) -> None:
    blamed: list[str] = []
    outages = OutageDetector()
    assert outages.failed(ModelError(kind, "away"), lambda: blamed.append("a"))
    outages.replied()
    assert blamed == []


def test_a_chunk_is_to_blame_if_the_model_replies_to_another() -> None:
    blamed: list[str] = []
    outages = OutageDetector()
    assert not outages.failed(ModelError("timeout", "slow"), lambda: blamed.append("a"))
    outages.replied()
    outages.replied()
    assert blamed == ["a"]


def test_several_failures_in_a_row_are_the_models() -> None:
    blamed: list[str] = []
    outages = OutageDetector()
    error = ModelError("timeout", "slow")
    assert [outages.failed(error, lambda: blamed.append("a")) for _ in range(MOST_SUSPICIONS)][-1]
    outages.replied()
    assert blamed == []


def test_an_endpoint_that_refuses_a_request_is_not_away_and_one_that_refuses_the_key_is() -> None:
    assert is_too_much(ModelError("refused", "too long", http_status=413))
    assert not is_too_much(ModelError("refused", "wrong key", http_status=401))
