"""Measures Elasticsearch at scale: ``python -m benchmarks.elastic_index [--vectors 20000 --dims 1024]``.

Pages of ten chunks with random vectors and random words, as for the embedded index. Loading is compared with
the client's own ``streaming_bulk`` of such documents, a whole retrieval with the bare request within it, and
graphs with exact search, each within one run. Random vectors are hardest for a graph, because all are far
apart.
"""

import math
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from elasticsearch import Elasticsearch
from elasticsearch.helpers import streaming_bulk

from app.presets.collection import Presets
from app.search.elastic import ElasticIndex
from app.search.elastic.client import connect
from app.search.elastic.documents import document, document_id
from app.search.examples import OffTopic
from app.search.rerankers.lexical_blocks import LexicalBlocksReranker
from app.search.retriever import Retriever
from app.search.types import GenerationRecipe
from app.services.elastic import elastic_options
from app.settings.settings import Settings
from benchmarks.figures import Stopwatch, percentiles, show, watched
from benchmarks.random_pages import CHUNKS_PER_PAGE, SOURCES, embedded, question, vectors_of
from ingest.protocols import Recipe
from ingest.types import EmbeddedPage, PageRef, Vectors
from ingest.vectors import MemoryVectorCache
from tests.services.elasticsearch import Elasticsearch as Server
from tests.services.indices import delete_prefix, elastic_settings

PAGES_PER_WRITE: Final = 16
QUESTIONS: Final = 60
QUESTION: Final = "w7 w30 w400"
NEAREST: Final = 10
TIE: Final = 1e-4
KINDS: Final = ("flat", "hnsw", "int8_hnsw")


@click.command(help="Measure Elasticsearch against bare requests and exact search.")
@click.option("--vectors", default=20_000, show_default=True)
@click.option("--dims", default=1024, show_default=True)
@click.option("--url", help="A server to use; without, one is started.")
def main(vectors: int, dims: int, url: str | None) -> None:
    pages = [embedded(number, 1, dims) for number in range(vectors // CHUNKS_PER_PAGE)]
    with serving(url) as address:
        for kind in KINDS:
            click.echo(f"{kind}:")
            chosen = elastic_settings(address, elasticsearch_vectors=kind)
            with _index(chosen, dims) as (index, client):
                _measure_loading(index, chosen, pages)
                _measure_recall(index, len(pages), dims)
                _measure_questions(index, dims)
                _measure_disk(client, chosen.elasticsearch_prefix, vectors)


@contextmanager
def serving(url: str | None) -> Iterator[str]:
    """Yield ``url``, or the address of a server that runs until the end of the block."""
    if url:
        yield url
        return
    with Server() as server:
        yield server.url


@contextmanager
def copied(data: Path, url: str, **settings: Any) -> Iterator[Settings]:
    """Yield the settings of a copy of the pages in ``data`` whose index is on a server, until the end of the
    block."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(sqlite3.connect(data / "pages.sqlite")) as pages:
            pages.execute("VACUUM INTO ?", (str(Path(folder) / "pages.sqlite"),))
        chosen = elastic_settings(url, data=Path(folder), **settings)
        try:
            yield chosen
        finally:
            with Elasticsearch(url) as client:
                delete_prefix(client, chosen.elasticsearch_prefix)


@contextmanager
def _index(settings: Settings, dims: int) -> Iterator[tuple[ElasticIndex, Elasticsearch]]:
    """An index with the live generation 1, and a separate client."""
    options = elastic_options(settings)
    index, client = ElasticIndex(options), connect(options).options(request_timeout=300)
    recipe = GenerationRecipe(embedder={"name": "hashing", "dims": dims}, build={})
    index.promote(index.create(recipe).number)
    yield index, client
    index.close()
    delete_prefix(client, settings.elasticsearch_prefix)
    client.close()


class _Directions:
    """An embedder that returns one random direction after another."""

    def __init__(self, dims: int) -> None:
        self.recipe: Recipe = {"name": "hashing", "dims": dims}
        self.dims, self.max_tokens, self.batch_size, self._seed = dims, 1, 64, 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        self._seed += 1
        vector = question(self.dims, self._seed).vector
        assert vector is not None
        return vector


class _EverythingShows:
    """A page store that hides no page."""

    def hidden(self, refs: Sequence[PageRef], now: object) -> set[PageRef]:
        return set()

    def with_ids(self, sources: object, ids: object) -> list[PageRef]:
        return []

    def titles_like(self, sources: object, part: object) -> list[str]:
        return []


def _measure_loading(index: ElasticIndex, settings: Settings, pages: Sequence[EmbeddedPage]) -> None:
    """Write into the same index with our code and with the client's own by turns, half of the pages each."""
    ours, theirs = Stopwatch(), Stopwatch()
    options = elastic_options(settings)
    client = connect(options).options(request_timeout=options.bulk_seconds)
    for first in range(0, len(pages), 2 * PAGES_PER_WRITE):
        mine, raw = pages[first : first + PAGES_PER_WRITE], pages[first + PAGES_PER_WRITE :][:PAGES_PER_WRITE]
        ours.timed(index.write)(1, mine)
        theirs.timed(_stream)(client, [_action(page, settings.elasticsearch_prefix) for page in raw])
    client.close()
    index.refresh()
    show("written", f"{len(pages) / (ours.seconds + theirs.seconds):.0f} pages/s")
    show("speed against streaming_bulk", f"{theirs.seconds / ours.seconds:.2f} x")


def _action(page: EmbeddedPage, prefix: str) -> dict[str, Any]:
    return {
        "_index": f"{prefix}-w1",
        "_id": document_id(page.page.ref),
        "version": page.page.sequence,
        "version_type": "external_gte",
        "_source": document(page, {}),
    }


def _stream(client: Elasticsearch, actions: Sequence[dict[str, Any]]) -> None:
    for succeeded, item in streaming_bulk(client, actions):
        assert succeeded, item


def _measure_disk(client: Elasticsearch, prefix: str, vectors: int) -> None:
    index = f"{prefix}-1"
    # A merge after a flush drops the copies of sources that are kept for replicas.
    client.indices.flush(index=index, force=True)
    client.indices.forcemerge(index=index, max_num_segments=1)
    client.indices.flush(index=index, force=True)
    store = client.indices.stats(index=index, metric="store")["_all"]["primaries"]["store"]
    show("on disk, merged", f"{store['size_in_bytes'] / vectors:,.0f} bytes a chunk")


def _measure_recall(index: ElasticIndex, pages: int, dims: int) -> None:
    """Print the share of the nearest pages, by exact search, that are found; ties count as found."""
    matrix = np.stack([vectors_of(number, 1, dims) for number in range(pages)])
    found = 0
    for seed in range(QUESTIONS):
        spec = question(dims, seed)
        assert spec.vector is not None
        best = np.sort((matrix @ spec.vector).max(axis=1))[-NEAREST]
        similarities = [candidate.similarity["content"] for candidate in index.search(spec)]
        found += sum(similarity >= best - TIE for similarity in similarities)
    show(f"recall@{NEAREST} against exact search", f"{found / QUESTIONS / NEAREST:.3f}")


def _measure_questions(index: ElasticIndex, dims: int) -> None:
    embedder = _Directions(dims)
    retriever = Retriever(
        index=index,
        visibility=_EverythingShows(),
        embedder_of=lambda _generation: embedder,
        preset=Presets().load("default"),
        off_topic=OffTopic(MemoryVectorCache()),
        reranker=LexicalBlocksReranker(),
    )
    for _ in range(QUESTIONS):
        retriever.retrieve(QUESTION, sources=SOURCES)
    whole = Stopwatch()
    with watched(Elasticsearch, "msearch") as bare:
        for _ in range(QUESTIONS):
            whole.timed(retriever.retrieve)(QUESTION, sources=SOURCES)
    each = len(bare.laps) // QUESTIONS
    requests = [math.fsum(bare.laps[start : start + each]) for start in range(0, len(bare.laps), each)]
    own = [lap - request for lap, request in zip(whole.laps, requests, strict=True)]
    show(f"the bare requests, {each} for a question", percentiles(requests))
    show("retrieval around it", percentiles(own))


if __name__ == "__main__":
    main()
