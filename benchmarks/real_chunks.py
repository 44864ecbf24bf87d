"""Any number of pages with vectors and words like those of real text, the same in every run.

The model is the sample site, cut and embedded as for the index. A chunk's vector lies between those of two
chunks of one of its pages, with noise that has the covariance of all chunks. So pages have a topic, their
chunks are alike, and all vectors keep the common direction that an embedder gives them. A chunk's words are
drawn from that page's with their frequencies, except one in ten, which is as rare as names and numbers are.
Vectors are rotated into a space of other dimensions, where cosines are the same.
"""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from app.search.types import QuerySpec
from app.services import Services
from ingest.types import Chunk, EmbeddedPage, Page, PageRef, Vectors
from tests.fakes import sample_site

CHUNKS_PER_PAGE: Final = 10
WORDS_PER_CHUNK: Final = 70
RARE_EVERY: Final = 10
RARE_WORDS: Final = 1_000_000
QUESTION_WORDS: Final = 5
SOURCES: Final = frozenset({"bench"})

_NOISE: Final = 0.7
"""The noise in standard deviations of the sample's chunks: a chunk's cosine with its model is about 0.9."""

_WORD: Final = re.compile(r"\w{2,}")


class RealChunks:
    """Makes pages of ``CHUNKS_PER_PAGE`` chunks with vectors of ``dims``, and questions."""

    def __init__(self, folder: Path, dims: int, embedder: str = "e5") -> None:
        """Index the sample site in the empty ``folder``; its vectors are cached for later runs."""
        self._models = _sample_pages(folder, embedder)
        rows = np.concatenate([model.vectors for model in self._models])
        turn = _rotation(rows.shape[1], dims)
        self._vectors = [model.vectors @ turn for model in self._models]
        self._spread = np.asarray((rows - rows.mean(axis=0)) @ turn / np.sqrt(len(rows)), np.float32)
        self._words = [np.array(_WORD.findall(_text(model))) for model in self._models]

    def page(self, number: int) -> EmbeddedPage:
        """Return one page; its chunks are also ranked by their words, as in the preset ``contextual``."""
        chance = np.random.default_rng((1, number))
        model = int(chance.integers(len(self._models)))
        title = f"{self._models[model].page.fields.get('title', 'Page')} {number}"
        texts = [self._words_of(model, chance, WORDS_PER_CHUNK) for _ in range(CHUNKS_PER_PAGE)]
        ends = np.cumsum([len(f"{text} ".encode()) for text in texts]).tolist()
        chunks = [
            Chunk(
                field="content", position=i, start=start, end=end, context=title, text=texts[i], ranked=True
            )
            for i, (start, end) in enumerate(pairwise([0, *ends]))
        ]
        page = Page(
            ref=PageRef(source="bench", id=f"p{number}", language=self._models[model].page.ref.language),
            document=f"p{number}",
            sequence=1,
            url=f"https://bench/{number}",
            fields={"title": title, "content": "".join(f"{text} " for text in texts)},
        )
        vectors = self._vectors_of(model, chance, CHUNKS_PER_PAGE)
        return EmbeddedPage(page=page, chunks=tuple(chunks), vectors=vectors)

    def question(self, number: int) -> QuerySpec:
        """Return a question on the topic of some pages, with words and a vector."""
        chance = np.random.default_rng((2, number))
        model = int(chance.integers(len(self._models)))
        words = chance.choice(self._words[model], QUESTION_WORDS)
        return QuerySpec(
            words=tuple(dict.fromkeys(word.lower() for word in words.tolist())),
            sources=SOURCES,
            vector=self._vectors_of(model, chance, 1)[0],
            k={"content": 10},
        )

    def _vectors_of(self, model: int, chance: np.random.Generator, count: int) -> Vectors:
        rows = self._vectors[model]
        first, second = rows[chance.integers(len(rows), size=(2, count))]
        between = first + 0.5 * chance.random((count, 1), np.float32) * (second - first)
        normal = chance.standard_normal((count, len(self._spread)), np.float32)
        # ``normal @ self._spread``, but without numpy's threads, which would slow down the server.
        noise = np.einsum("ij,jk->ik", normal, self._spread)
        noisy = between + _NOISE * noise
        unit: Vectors = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _words_of(self, model: int, chance: np.random.Generator, count: int) -> str:
        words = chance.choice(self._words[model], count).tolist()
        rare = range(0, count, RARE_EVERY)
        for place, rank in zip(rare, chance.integers(RARE_WORDS, size=len(rare)).tolist(), strict=True):
            words[place] = f"nr{rank}"
        return " ".join(words)


def _sample_pages(folder: Path, embedder: str) -> list[EmbeddedPage]:
    with Services(sample_site.indexed(folder, embedder)) as services:
        live = services.indexing.index.live()
        assert live is not None
        pipeline = services.indexing.pipeline_of(live)
        raw = services.store.read(services.store.refs(sample_site.SOURCE))
        return [pipeline.build(page.page, 1) for page in raw if page.page is not None]


def _rotation(dims: int, wanted: int) -> Vectors:
    """Return orthonormal rows or columns, shape ``(dims, wanted)``; the identity if both are equal."""
    if dims == wanted:
        return np.eye(dims, dtype=np.float32)
    columns = np.random.default_rng(0).standard_normal((max(dims, wanted), min(dims, wanted)))
    orthonormal = np.linalg.qr(columns).Q
    return np.asarray(orthonormal if dims > wanted else orthonormal.T, np.float32)


def _text(model: EmbeddedPage) -> str:
    return " ".join(model.page.fields.values())
