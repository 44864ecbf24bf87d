"""The matrix against brute force, with blocks so small that pages cross them."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.search.embedded.vectors import ChunkRows, FieldMatrix
from app.search.index import HITS_PER_PAGE
from ingest.types import Vectors

DIMS = 3


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.search.embedded.vectors.BLOCK_ROWS", 4)
        yield


def chunk_rows(document: int, vectors: Vectors) -> ChunkRows:
    numbers = np.arange(len(vectors), dtype=np.int32)
    return ChunkRows(
        documents=np.full(len(vectors), document, np.int64),
        positions=numbers,
        starts=numbers * 10,
        ends=numbers * 10 + 7,
        vectors=vectors,
    )


def directions(seed: int, n: int) -> Vectors:
    """Few distinct directions, so that pages tie."""
    rows = np.random.default_rng(seed).integers(-1, 2, (n, DIMS)) + np.array([0, 0, 0.5])
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


Steps = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 9), st.integers(0, 99)), max_size=25)


@settings(max_examples=150, deadline=None)
@given(steps=Steps, k=st.integers(1, 9), inside=st.sets(st.integers(1, 8)), seed=st.integers(0, 99))
def test_nearest_pages_equal_brute_force_after_any_replacements(
    steps: list[tuple[int, int, int]], k: int, inside: set[int], seed: int
) -> None:
    index = FieldMatrix(DIMS)
    pages: dict[int, Vectors] = {}
    for document, n, of in steps:
        pages[document] = directions(of, n)
        index.remove([document])
        index.add(chunk_rows(document, pages[document]))

    [query] = directions(seed, 1)
    cosines = {document: vectors @ query for document, vectors in pages.items() if document in inside}
    best = sorted((float(found.max()) for found in cosines.values()), reverse=True)[:k]
    scores = index.scores(query, np.isin(np.arange(9), sorted(inside)))
    found = scores.hits(scores.best_pages(k))
    assert [found[page][0].cosine for page in scores.best_pages(k)] == pytest.approx(best, abs=1e-6)
    assert scores.hits(pages).keys() == cosines.keys()
    for document, hits in found.items():
        expected = sorted(cosines[document].tolist(), reverse=True)[:HITS_PER_PAGE]
        assert [hit.cosine for hit in hits] == pytest.approx(expected, abs=1e-6)
        own = [cosines[document][hit.position] for hit in hits]
        assert [hit.cosine for hit in hits] == pytest.approx(own, abs=1e-6)
        assert [(x.start, x.end) for x in hits] == [(x.position * 10, x.position * 10 + 7) for x in hits]


def test_rows_of_replaced_pages_are_used_again() -> None:
    index = FieldMatrix(DIMS)
    for version in range(50):
        index.remove([1, 2])
        index.add(chunk_rows(1, directions(version, 5)))
        index.add(chunk_rows(2, directions(version, 3)))
    assert len(index._blocks) == 2
