"""Elasticsearch with many chunks: ``python -m benchmarks.elastic_scale --chunks 100000 --dimensions 384``.

Pages with vectors and words like those of real text (``benchmarks.real_chunks``) are written to our own
mapping until there are enough chunks or the time is over; figures are for the size reached. Then the index is
searched as written, and again after merging: by a plain kNN of the content's chunks, by a page search (kNN
with inner hits, words, counts), by a search of chunks by meaning and words (preset ``contextual``), and for
the cosines of some pages. Last, pages are searched while more are written. Recall is against a comparison
with every chunk, for the page search, which rescores quantised vectors with full ones, and for the plain kNN,
which does not.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from elastic_transport import Transport
from elasticsearch import Elasticsearch

from app.indexing.retry import Retry
from app.monitoring.logging import configure_quiet_logging
from app.search.elastic import ElasticIndex
from app.search.elastic.client import connect
from app.search.elastic.documents import page_ref
from app.search.types import GenerationRecipe, QuerySpec
from app.services.elastic import elastic_options
from benchmarks.figures import Stopwatch, p95, show, watched
from benchmarks.real_chunks import CHUNKS_PER_PAGE, RealChunks
from ingest.types import EmbeddedPage, Vectors
from tests.services import jdk
from tests.services.elasticsearch import Elasticsearch as Server
from tests.services.indices import delete_prefix, elastic_settings

KINDS: Final = ("int8_hnsw", "bbq_hnsw", "hnsw", "flat")
PAGES_PER_WRITE: Final = 64
NEAREST: Final = 10
CANDIDATES: Final = 500
"""The candidates of the plain kNN: as many as our own searches have at least."""

CHUNKS_WANTED: Final = 50
OLDEST_JAVA: Final = 17
COSINES: Final = 20
TIE: Final = 1e-4
"""More than a cosine loses if vectors are stored as bfloat16."""

SLOW_SECONDS: Final = 3_600
PROGRESS_CHUNKS: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """An index with the live generation 1, a separate client, and the questions."""

    index: ElasticIndex
    client: Elasticsearch
    name: str
    questions: Sequence[QuerySpec]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command line."""

    chunks: int
    dimensions: int
    kind: str
    element_type: str
    minutes: float
    writers: int
    questions: int
    heap: str
    embedder: str
    url: str | None


@click.command(help="Measure Elasticsearch with many chunks like those of real text.")
@click.option("--chunks", default=10_000, show_default=True)
@click.option("--dimensions", default=384, show_default=True)
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True)
@click.option(
    "--element-type", type=click.Choice(["auto", "float", "bfloat16"]), default="auto", show_default=True
)
@click.option("--minutes", default=60.0, show_default=True, help="End the writing after so long.")
@click.option("--writers", default=1, show_default=True, help="As many as a rebuild has workers.")
@click.option("--questions", default=100, show_default=True)
@click.option("--heap", default="1g", show_default=True, help="Heap of the server that is started.")
@click.option("--embedder", default="e5", show_default=True, help="What embeds the sample site.")
@click.option("--url", help="A server to use; without, one is started.")
def main(**options: Any) -> None:
    configure_quiet_logging()
    measure(Options(**options))


def measure(options: Options) -> None:
    """Build the index and search it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        real = RealChunks(folder / "sample", options.dimensions, options.embedder)
        address = options.url or stack.enter_context(_server(options.heap)).url
        questions = [real.question(number) for number in range(options.questions)]
        bench = stack.enter_context(_bench(address, options, questions))
        show("server", _version(bench.client))
        exact = ExactSearch([spec.vector for spec in questions if spec.vector is not None])
        written = _build(bench, real, exact, options)
        _measure_size(bench, "as written", written)
        _measure_searches(bench, "as written", exact)
        show("merging", f"{_merge(bench):.0f} s")
        _measure_size(bench, "merged", written)
        _measure_searches(bench, "merged", exact)
        _measure_beside_writing(bench, real, written)


def _server(heap: str) -> Server:
    """A server on the newest installed Java, with its default settings."""
    return Server(java_options=f"-Xms{heap} -Xmx{heap}", java_home=jdk.highest(OLDEST_JAVA))


class ExactSearch:
    """The cosines of the nearest pages, found by comparing every chunk that is written."""

    def __init__(self, vectors: Sequence[Vectors]) -> None:
        self._questions = np.stack(vectors)
        self._best = np.full((len(vectors), NEAREST), -1.0, np.float32)

    def see(self, pages: Sequence[EmbeddedPage]) -> None:
        """Compare the chunks of these pages."""
        cosines = np.concatenate([page.vectors for page in pages]) @ self._questions.T
        by_page = cosines.reshape(len(pages), -1, len(self._questions)).max(axis=1)
        both = np.concatenate([self._best, by_page.T], axis=1)
        self._best = -np.partition(-both, NEAREST - 1, axis=1)[:, :NEAREST]

    def recall(self, found: Sequence[Iterable[float]]) -> float:
        """Return the share of the nearest pages that were found; ties count as found. ``found``: the cosines
        of the pages found for each question, in the questions' order."""
        least = self._best.min(axis=1) - TIE
        hits = [sum(cosine >= least[number] for cosine in cosines) for number, cosines in enumerate(found)]
        return float(np.minimum(hits, NEAREST).mean()) / NEAREST


@contextmanager
def _bench(address: str, chosen: Options, questions: Sequence[QuerySpec]) -> Iterator[Bench]:
    settings = elastic_settings(address, elasticsearch_search_seconds=60.0)
    options = replace(elastic_options(settings), vectors=chosen.kind, element_type=chosen.element_type)
    client = connect(options).options(request_timeout=SLOW_SECONDS)
    with closing(ElasticIndex(options)) as index, closing(client):
        recipe = GenerationRecipe(embedder={"name": "sample", "dims": chosen.dimensions}, build={})
        number = index.create(recipe).number
        name = f"{settings.elasticsearch_prefix}-{number}"
        yield Bench(index=index, client=client, name=name, questions=questions)
        delete_prefix(client, settings.elasticsearch_prefix)


class _Pages:
    """Generates pages for several writers until there are enough or the time is over."""

    def __init__(self, real: RealChunks, exact: ExactSearch, options: Options) -> None:
        self.made = 0
        self.making = Stopwatch()
        self._real = real
        self._exact = exact
        self._wanted = -(-options.chunks // CHUNKS_PER_PAGE)
        self._begin = time.monotonic()
        self._until = self._begin + 60 * options.minutes
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Sequence[EmbeddedPage]]:
        """Yield some pages at a time; no two iterators get the same."""
        while some := self._next():
            yield some

    def _next(self) -> Sequence[EmbeddedPage]:
        with self._lock:
            if time.monotonic() > self._until:
                return ()
            numbers = range(self.made, min(self.made + PAGES_PER_WRITE, self._wanted))
            some = self.making.timed(self._make)(numbers)
            self._show_progress(len(some))
            return some

    def _make(self, numbers: Sequence[int]) -> Sequence[EmbeddedPage]:
        some = [self._real.page(number) for number in numbers]
        if some:
            self._exact.see(some)
        return some

    def _show_progress(self, pages: int) -> None:
        before, now = (CHUNKS_PER_PAGE * count for count in (self.made, self.made + pages))
        if now // PROGRESS_CHUNKS > before // PROGRESS_CHUNKS:
            show(f"  {now:,} chunks made", f"after {time.monotonic() - self._begin:.0f} s")
        self.made += pages


def _build(bench: Bench, real: RealChunks, exact: ExactSearch, options: Options) -> int:
    """Write as a rebuild does: without refreshing, and with retries if the server takes too long. Returns the
    number of chunks."""
    pages, writing, retry = _Pages(real, exact, options), Stopwatch(), Retry()

    def write() -> None:
        for some in pages:
            results = retry(partial(bench.index.write, 1, some), lambda: None)
            if failed := next((result for result in results if result.status != "written"), None):
                raise click.ClickException(f"{failed.ref.id}: {failed.reason}")

    def write_all() -> None:
        with ThreadPoolExecutor(options.writers) as writers:
            for done in [writers.submit(write) for _ in range(options.writers)]:
                done.result()

    with watched(Elasticsearch, "bulk") as requests:
        writing.timed(write_all)()
    promoting = Stopwatch()
    promoting.timed(bench.index.promote)(1)
    written = pages.made * CHUNKS_PER_PAGE
    show("chunks written", f"{written:,} of {options.chunks:,} in {pages.made:,} pages")
    show("writing", f"{writing.seconds:.0f} s, {written / writing.seconds:,.0f} chunks/s")
    show("of which waiting for the server", f"{requests.seconds / options.writers:.0f} s a writer")
    show("of which making pages", f"{pages.making.seconds / options.writers:.0f} s a writer")
    show("refreshing and promoting", f"{promoting.seconds:.1f} s")
    return written


def _merge(bench: Bench) -> float:
    """Merge to one segment, and return the seconds. Flushes drop the copies of sources kept for replicas."""
    merging = Stopwatch()
    bench.client.indices.flush(index=bench.name, force=True)
    merging.timed(bench.client.indices.forcemerge)(index=bench.name, max_num_segments=1)
    bench.client.indices.flush(index=bench.name, force=True)
    return merging.seconds


def _measure_size(bench: Bench, label: str, chunks: int) -> None:
    chunks = max(chunks, 1)  # the time may be over before the first is written
    stats = bench.client.indices.stats(index=bench.name, metric="store,segments,dense_vector")
    primaries = stats["_all"]["primaries"]
    size, segments = primaries["store"]["size_in_bytes"], primaries["segments"]["count"]
    show(f"on disk, {label}", f"{_mb(size)}, {size / chunks:,.0f} bytes a chunk, {segments} segments")
    for name, part in _disk_usage(bench).items():
        show(f"  {name}", f"{_mb(part)}, {part / chunks:,.0f} bytes a chunk")
    off_heap = primaries.get("dense_vector", {}).get("off_heap", {})
    for name, kind in _OFF_HEAP.items():
        if part := off_heap.get(f"total_{kind}_size_bytes", 0):
            show(f"  off-heap: {name}", f"{_mb(part)}, {part / chunks:,.0f} bytes a chunk")
    show("heap", _heap(bench.client))


_OFF_HEAP: Final = {"vectors": "vec", "int8 vectors": "veq", "BBQ vectors": "veb", "graph": "vex"}


def _disk_usage(bench: Bench) -> Mapping[str, int]:
    """Bytes of vectors, of words and of stored pages."""
    # Requested by path, because the client's method warns that this is a technical preview.
    request = f"/{bench.name}/_disk_usage"
    answer = bench.client.perform_request("POST", request, params={"run_expensive_tasks": True}).body
    fields = answer[bench.name]["fields"]
    total = {
        "vectors and graph": "knn_vectors_in_bytes",
        "words": "inverted_index",
        "stored pages": "stored_fields_in_bytes",
    }
    return {name: sum(_bytes(field.get(key, 0)) for field in fields.values()) for name, key in total.items()}


def _version(client: Elasticsearch) -> str:
    node = next(iter(client.nodes.info(metric="jvm").body["nodes"].values()))
    return f"Elasticsearch {node['version']}, Java {node['jvm']['version']}"


def _bytes(figure: Any) -> int:
    return int(figure["total_in_bytes"] if isinstance(figure, Mapping) else figure)


def _heap(client: Elasticsearch) -> str:
    memory = next(iter(client.nodes.stats(metric="jvm")["nodes"].values()))["jvm"]["mem"]
    old = memory["pools"]["old"]
    used, most = memory["heap_used_in_bytes"], memory["heap_max_in_bytes"]
    return f"{_mb(used)} of {_mb(most)} used, old generation {_mb(old['used_in_bytes'])}"


def _measure_searches(bench: Bench, label: str, exact: ExactSearch) -> None:
    """Measure each kind of search with all questions, one after the other, after a warm-up round."""
    vectors = [spec.vector for spec in bench.questions if spec.vector is not None]
    found = [bench.index.search(spec) for spec in bench.questions]
    refs = [[candidate.page.ref for candidate in candidates][:COSINES] for candidates in found]
    searched = [[each.similarity.get("content", -1.0) for each in candidates] for candidates in found]
    show(f"recall@{NEAREST}, {label}", f"{exact.recall(searched):.3f}")
    roughly = [_plain_cosines(bench, vector) for vector in vectors]
    show(f"recall@{NEAREST} without rescoring, {label}", f"{exact.recall(roughly):.3f}")

    def plain(number: int) -> object:
        return bench.client.search(
            index=bench.name, size=NEAREST, source=False, knn=_plain_knn(vectors[number])
        )

    def cosines(number: int) -> object:
        return bench.index.cosines(refs[number], vectors[number], 1)

    kinds: Mapping[str, Callable[[int], object]] = {
        "plain kNN": plain,
        "page search": lambda number: bench.index.search(bench.questions[number]),
        "chunk search": lambda number: bench.index.search_chunks(bench.questions[number], CHUNKS_WANTED),
        f"cosines of {COSINES} pages": cosines,
    }
    medians: list[float] = []
    for name, search in kinds.items():
        laps, requests = _laps(search, len(vectors))
        medians.append(float(np.median(laps)))
        times = f"p50 {medians[-1] * 1000:.1f} ms, p95 {p95(laps) * 1000:.1f} ms"
        waiting = f"{requests / len(laps) * 1000:.1f} ms of it the requests"
        show(f"{name}, {label}", f"{times}, {medians[-1] / medians[0]:.1f} x; {waiting}")


def _measure_beside_writing(bench: Bench, real: RealChunks, written: int) -> None:
    """Measure the page search while one writer writes further pages."""
    ending, chunks = threading.Event(), 0

    def write() -> None:
        nonlocal chunks
        first = written // CHUNKS_PER_PAGE
        while not ending.is_set():
            bench.index.write(1, [real.page(first + number) for number in range(PAGES_PER_WRITE)])
            first += PAGES_PER_WRITE
            chunks += PAGES_PER_WRITE * CHUNKS_PER_PAGE

    with ThreadPoolExecutor(1) as writer:
        writing, begin = writer.submit(write), time.monotonic()
        try:
            laps, _ = _laps(lambda number: bench.index.search(bench.questions[number]), len(bench.questions))
        finally:
            ending.set()
        writing.result()
        speed = chunks / (time.monotonic() - begin)
    times = f"p50 {np.median(laps) * 1000:.1f} ms, p95 {p95(laps) * 1000:.1f} ms"
    show("page search beside writing", f"{times}; {speed:,.0f} chunks/s")


def _laps(search: Callable[[int], object], questions: int) -> tuple[list[float], float]:
    """Return the seconds of each search, and of all their requests together."""
    watch = Stopwatch()
    for number in range(questions):
        search(number)
    with watched(Transport, "perform_request") as requests:
        for number in range(questions):
            watch.timed(search)(number)
    return watch.laps, requests.seconds


def _plain_cosines(bench: Bench, vector: Vectors) -> Iterable[float]:
    """The exact cosines of the pages that a plain kNN finds."""
    found = bench.client.search(
        index=bench.name,
        size=NEAREST,
        source={"includes": ["source", "page", "language"]},
        knn=_plain_knn(vector),
    )
    refs = [page_ref(hit["_source"]) for hit in found["hits"]["hits"]]
    return bench.index.cosines(refs, vector, 1).values()


def _plain_knn(vector: Vectors) -> dict[str, Any]:
    return {
        "field": "content.chunks.vector",
        "query_vector": vector.tolist(),
        "k": NEAREST,
        "num_candidates": CANDIDATES,
    }


def _mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.elastic_scale")
