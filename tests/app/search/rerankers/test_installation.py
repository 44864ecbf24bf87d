"""Rerankers that the settings name and presets ask."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.fakes.presets import RERANKING, write_reranking_preset
from tests.fakes.rerank_server import FakeReranker, Reply
from tests.fakes.world import raw_page

QUESTION = "When is the dog tax due?"
OTHER = "Is the dog tax due in May?"
TOWN = frozenset({"town"})


@pytest.fixture
def server() -> Iterator[FakeReranker]:
    with FakeReranker() as fake:
        yield fake


@pytest.fixture
def services(tmp_path: Path, server: FakeReranker) -> Iterator[Services]:
    """Two pages, a preset that reranks, and a reranker behind a server."""
    settings = load_settings(
        presets=write_reranking_preset(tmp_path / "presets"),
        data=tmp_path / "data",
        embedder="hashing",
        preset=RERANKING,
        reranker="endpoint",
        rerankers={"endpoint": {"base_url": server.base_url, "api_key": "sk-hush"}},
    )
    with Services(settings) as services:
        pages = [
            raw_page("first", {"title": "Dog tax", "content": "The dog tax is due."}),
            raw_page("second", {"title": "Dog tax", "content": "When dogs are many, the tax is higher."}),
        ]
        services.store.accept([Save(page=page) for page in pages])
        while services.indexing.indexer.sync_pages():
            pass
        yield services


def found(services: Services, question: str) -> tuple[list[str], tuple[str, ...]]:
    """The ids that the question finds, and the labels."""
    result = services.chat.default.retriever.retrieve(question, sources=TOWN)
    return [hit.page.ref.id for hit in result.hits], result.degraded


def test_the_first_pages_come_as_the_server_scores_them(services: Services, server: FakeReranker) -> None:
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]
    server.default = Reply(raw=json.dumps({"results": results}).encode())
    assert found(services, QUESTION) == (["second", "first"], ())
    [request] = server.requests
    assert request["query"] == QUESTION
    assert sorted(request["documents"])[0] == "# Dog tax\n\nThe dog tax is due."
    assert server.keys == ["Bearer sk-hush"]


def test_a_server_that_fails_is_left_alone_and_pages_come_as_they_were_found(
    services: Services, server: FakeReranker
) -> None:
    server.default = Reply(status=503)
    for question in (QUESTION, OTHER, QUESTION):
        assert found(services, question) == (["first", "second"], ("reranker_unavailable",))
    assert len(server.requests) == 1
