"""Pages of ten chunks with random vectors and random words, for benchmarks of the indexes."""

from itertools import pairwise
from typing import Final

import numpy as np

from app.search.types import QuerySpec
from ingest.types import Chunk, EmbeddedPage, Page, PageRef, Vectors

CHUNKS_PER_PAGE: Final = 10
WORDS_PER_CHUNK: Final = 70
VOCABULARY: Final = 50_000
SOURCES: Final = frozenset({"bench"})


def question(dims: int, seed: int, words: tuple[str, ...] = ()) -> QuerySpec:
    vector = np.random.default_rng(seed).standard_normal(dims, np.float32)
    return QuerySpec(words=words, sources=SOURCES, vector=vector / np.linalg.norm(vector), k={"content": 10})


def embedded(number: int, sequence: int, dims: int) -> EmbeddedPage:
    text, edges = text_of(number)
    chunks = [
        Chunk(field="content", position=i, start=start, end=end, context="", text=text[start:end])
        for i, (start, end) in enumerate(pairwise(edges))
    ]
    page = Page(
        ref=PageRef(source="bench", id=f"p{number}", language="en"),
        document=f"p{number}",
        sequence=sequence,
        url=f"https://bench/{number}",
        fields={"title": f"Page {number}", "content": text},
    )
    return EmbeddedPage(page=page, chunks=tuple(chunks), vectors=vectors_of(number, sequence, dims))


def text_of(number: int) -> tuple[str, list[int]]:
    """Words by Zipf's law, and the offsets of ``CHUNKS_PER_PAGE`` chunks of equal length."""
    ranks = np.random.default_rng(number).zipf(1.2, CHUNKS_PER_PAGE * WORDS_PER_CHUNK) % VOCABULARY
    text = " ".join(f"w{rank}" for rank in ranks)
    return text, [len(text) * i // CHUNKS_PER_PAGE for i in range(CHUNKS_PER_PAGE + 1)]


def vectors_of(number: int, sequence: int, dims: int) -> Vectors:
    rows = np.random.default_rng((number, sequence)).standard_normal((CHUNKS_PER_PAGE, dims), np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
