"""Vectors whose numbers take two bytes instead of four, on a server that stores them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Final

import numpy as np
import pytest
from elasticsearch import Elasticsearch

from app.search.elastic import ElasticIndex, ElasticOptions
from app.search.elastic.client import HALF_VECTORS, oldest_node
from app.search.types import GenerationRecipe, QuerySpec
from ingest.types import Vectors
from tests.contracts.embedded_pages import embedded
from tests.services.indices import elastic_index

DIMS: Final = 384
PAGES: Final = 120
TOWN: Final = frozenset({"town"})
RECIPE: Final = GenerationRecipe(embedder={"name": "chosen", "dims": DIMS}, build={})
WITHIN: Final = 5e-4
"""Of the exact cosine; a page has that many dimensions that the errors of single numbers cancel out."""


@pytest.fixture
def half(elasticsearch: str, admin: Elasticsearch) -> Iterator[ElasticIndex]:
    """An index as the settings are by default."""
    if oldest_node(admin) < HALF_VECTORS:
        pytest.skip("this Elasticsearch stores no half vectors")
    with elastic_index(elasticsearch) as index:
        yield index


def directions(count: int) -> Vectors:
    """Neighbours of each other, as embedders make them."""
    chosen = np.random.default_rng(7)
    rows = chosen.normal(size=DIMS) + 0.8 * chosen.normal(size=(count, DIMS))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def fill(index: ElasticIndex, rows: Vectors) -> None:
    """A live generation with a page for every two rows."""
    number = index.create(RECIPE).number
    updates = [
        embedded(
            f"p{page:03}", content="Town. Hall.", vectors={"content": list(rows[2 * page : 2 * page + 2])}
        )
        for page in range(len(rows) // 2)
    ]
    assert {result.status for result in index.write(number, updates)} == {"written"}
    index.promote(number)


def cosines(index: ElasticIndex, question: Vectors, k: int = 10) -> dict[str, float]:
    found = index.search(QuerySpec(words=(), sources=TOWN, vector=question, k={"content": k}, keyword="none"))
    return {candidate.page.ref.id: candidate.similarity["content"] for candidate in found}


def test_they_are_stored_where_the_server_can_and_find_the_same_pages(
    half: ElasticIndex, admin: Elasticsearch
) -> None:
    rows = directions(2 * PAGES)
    fill(half, rows)
    [mapping] = admin.indices.get_mapping(index=f"{half._options.prefix}-1").body.values()
    chunks = mapping["mappings"]["properties"]["content"]["properties"]["chunks"]["properties"]
    assert chunks["vector"]["element_type"] == "bfloat16"
    for question in directions(10):
        exact = (rows @ question).reshape(PAGES, 2).max(axis=1)
        found = cosines(half, question)
        assert found == pytest.approx({name: exact[int(name[1:])] for name in found}, abs=WITHIN)
        assert min(exact[int(name[1:])] for name in found) >= np.sort(exact)[-10] - 2 * WITHIN


@pytest.mark.elasticsearch
@pytest.mark.parametrize("kind", ["int8_hnsw", "bbq_hnsw"])
@pytest.mark.parametrize("server", ["elasticsearch", "older_elasticsearch"])
def test_cosines_of_quantised_ones_are_of_the_vectors_themselves(
    request: pytest.FixtureRequest, server: str, kind: str
) -> None:
    url: str = request.getfixturevalue(server)
    rows = directions(2 * PAGES)
    with elastic_index(url, elasticsearch_vectors=kind) as index:
        fill(index, rows)
        for question in directions(5):
            exact = (rows @ question).reshape(PAGES, 2).max(axis=1)
            found = cosines(index, question)
            assert found == pytest.approx({name: exact[int(name[1:])] for name in found}, abs=WITHIN)


def test_an_index_of_before_is_used_as_it_is_and_a_rebuild_is_advised(
    half: ElasticIndex, options: ElasticOptions
) -> None:
    with ExitStack() as opened:
        before = opened.enter_context(closing(ElasticIndex(replace(options, element_type="float"))))
        fill(before, directions(20))
        assert before.advice() is None
        now = opened.enter_context(closing(ElasticIndex(options)))
        assert cosines(now, directions(1)[0], 1).keys() == cosines(before, directions(1)[0], 1).keys()
        assert now.advice() == (
            "the index stores vectors as float, but the settings say bfloat16: run `auskunft reindex` to "
            "change that"
        )
        fill(now, directions(20))
        assert now.advice() is None
