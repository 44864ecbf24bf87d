"""Searches of the product on public test sets, for :mod:`benchmarks.public`.

Pages are indexed like by ``auskunft index``, in one installation for each collection and preset. Every
question goes to the preset's retriever, like from a chat without a conversation and without a model. The
vectors of pages and questions are kept in the folder, so that another run embeds nothing.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
import numpy as np

from app.errors import EmbedderUnavailableError
from app.features.evaluation.metrics import DEPTH
from app.features.evaluation.pool import PoolQuestion
from app.pages.database import open_engine, sqlite_url
from app.pages.vectors import SqlVectorCache
from app.presets import Preset
from app.search.index import live_generation
from app.search.query import towards_passages
from app.search.types import Generation, QuerySpec
from app.services import Services
from app.services.retrieval import make_retriever
from app.settings.settings import Settings, load_settings
from benchmarks.elastic_index import copied
from benchmarks.pages import index, write
from benchmarks.public_sets import TestSet
from ingest import registry
from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

SOURCE: Final = "public"
SOURCES: Final = frozenset((SOURCE,))
LEARNED: Final = "xquad"
"""The prefix of collections that the reader was trained on (``app/search/readers/NOTICE.txt``)."""

WORDS: Final = "words alone"
VECTORS: Final = "vectors alone"

Ranked = list[tuple[str, ...]]
"""For each question, the ids of the pages found, best first, at most ``DEPTH``."""


class KeptEmbedder:
    """Embeds with ``inner`` the texts that a cache lacks."""

    def __init__(self, inner: Embedder, cache: VectorCache) -> None:
        self._inner, self._cache = inner, cache
        self._documents = CachedEmbedder(inner, cache)
        self._questions = recipe_hash({**embedder_recipe(inner), "of": "questions"})
        self.recipe, self.dims, self.max_tokens = inner.recipe, inner.dims, inner.max_tokens
        self.batch_size = inner.batch_size

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Like the inner embedder, through the cache."""
        known = self._documents.vectors(texts)
        return np.stack([known[text_hash(text)] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Like the inner embedder, through the cache."""
        key = text_hash(text)
        if not (known := self._cache.get(self._questions, [key])):
            known = {key: self._inner.embed_query(text)}
            self._cache.put(self._questions, known)
        return known[key]

    def towards_passages(self, question: Vectors) -> Vectors:
        """Like the inner embedder."""
        return towards_passages(question, self._inner)


@contextmanager
def kept_embedder(data: Path, name: str) -> Iterator[Embedder]:
    """Yield the embedder of this name, with its vectors kept in the folder."""
    data.mkdir(parents=True, exist_ok=True)
    engine = open_engine(sqlite_url(data / "vectors.sqlite"))
    try:
        yield KeptEmbedder(registry.create("embedders", name), SqlVectorCache(engine))
    finally:
        engine.dispose()


@contextmanager
def installation(data: Path, asked: TestSet, preset: str, embedder: Embedder) -> Iterator[Services]:
    """Yield an installation with the set's pages in its embedded index."""
    folder = data / asked.collection / preset
    folder.mkdir(parents=True, exist_ok=True)
    settings = load_settings(data=folder, embedder=str(embedder.recipe["name"]), preset=preset)
    with _services(settings, embedder) as services:
        file = folder / "pages.jsonl"
        write(file, asked.pages)
        if failures := index(services, file, SOURCE).failures:
            raise click.ClickException(f"pages of {asked.collection} failed: {failures}")
        yield services


@contextmanager
def on_server(services: Services, url: str, embedder: Embedder) -> Iterator[Services]:
    """Yield an installation with the same pages on an Elasticsearch server, until the end of the block."""
    own = services.settings
    with (
        copied(own.data, url, embedder=own.embedder, preset=own.preset) as settings,
        _services(settings, embedder) as served,
    ):
        served.indexing.rebuilder.build()
        yield served


def found_by_preset(services: Services, asked: TestSet) -> Ranked:
    """Search by the installation's preset; without the reader for sets that it was trained on."""
    preset = services.preset
    if asked.collection.startswith(LEARNED):
        question = preset.question.model_copy(update={"read_blocks": 0})
        preset = preset.model_copy(update={"question": question})
    return _found(services, preset, asked.questions)


def found_by_words(services: Services, questions: Sequence[PoolQuestion]) -> Ranked:
    """Search as if the embedder were away: by BM25, then by coverage."""
    return _found(services, services.preset, questions, is_away=True)


def found_by_vectors(services: Services, questions: Sequence[PoolQuestion]) -> Ranked:
    """Find the pages with the nearest chunks of content."""
    index, embedder = services.indexing.index, services.indexing.embedder
    live = live_generation(index, services.store.id).number
    ranked: Ranked = []
    for each in questions:
        vector = embedder.embed_query(each.question)
        spec = QuerySpec(
            words=(), sources=SOURCES, vector=vector, k={"content": DEPTH}, keyword="none", generation=live
        )
        found = sorted(index.search(spec), key=lambda page: (-page.similarity["content"], page.page.ref))
        ranked.append(tuple(page.page.ref.id for page in found))
    return ranked


def _found(
    services: Services, preset: Preset, questions: Sequence[PoolQuestion], *, is_away: bool = False
) -> Ranked:
    indexing = services.indexing
    embedder_of = _no_embedder if is_away else indexing.embedders.for_questions
    retriever = make_retriever(services, indexing.index, preset, embedder_of)
    found = (retriever.retrieve(each.question, sources=SOURCES, limit=DEPTH) for each in questions)
    return [tuple(hit.page.ref.id for hit in retrieval.hits) for retrieval in found]


def _no_embedder(_generation: Generation) -> Embedder:
    raise EmbedderUnavailableError("left out")


@contextmanager
def _services(settings: Settings, embedder: Embedder) -> Iterator[Services]:
    with Services(settings) as services:
        services.indexing.embedders.current = embedder
        yield services
