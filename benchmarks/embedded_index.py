"""The embedded index at scale: ``python -m benchmarks.embedded_index [--vectors 100000 --dims 1024]``.

Pages of ten chunks with random vectors and random words. Another process writes the index, so that this one's
memory only grows by what searching needs. Cosines are compared with a bare ``X @ q`` on the same vectors,
alternating within one run.
"""

import multiprocessing
import resource
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import click
import numpy as np

from app.search.embedded import EmbeddedIndex
from app.search.types import GenerationRecipe, QuerySpec
from benchmarks.figures import percentiles, show, timed
from benchmarks.random_pages import CHUNKS_PER_PAGE, SOURCES, embedded, question, vectors_of

PAGES_PER_WRITE: Final = 100
REPETITIONS: Final = 41


@click.command(help="Measure the embedded index against bare numpy.")
@click.option("--vectors", default=100_000, show_default=True)
@click.option("--dims", default=1024, show_default=True)
def main(vectors: int, dims: int) -> None:
    pages = vectors // CHUNKS_PER_PAGE
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(1, context) as writer:
        folder = Path(name)
        writing = writer.submit(fill, folder, pages, dims).result()
        show("written", f"{pages:,} pages, {pages / writing:,.0f} pages/s")
        index = EmbeddedIndex(folder)
        measure_loading(index, pages, dims)
        measure_questions(index, pages, dims)
        measure_replacing(index, pages, dims)
        measure_another_process(index, writer, folder, dims)
        index.close()


def measure_loading(index: EmbeddedIndex, pages: int, dims: int) -> None:
    before = peak_bytes()
    seconds = timed(index.search, question(dims, 0))
    grown = peak_bytes() - before
    size = pages * CHUNKS_PER_PAGE * dims * 4
    show("first search, loading all", f"{seconds:.2f} s")
    show("memory", f"{grown / 1e6:,.0f} MB for {size / 1e6:,.0f} MB of vectors: {grown / size:.2f} x")


def measure_questions(index: EmbeddedIndex, pages: int, dims: int) -> None:
    matrix = np.concatenate([vectors_of(number, 1, dims) for number in range(pages)])
    words = ("w7", "w30", "w400")
    bare, nearest, full = [], [], []
    for seed in range(REPETITIONS):
        near, both = question(dims, seed), question(dims, seed, words)
        assert near.vector is not None
        vector = near.vector
        bare.append(timed(matrix.dot, vector))
        nearest.append(timed(index.search, near))
        full.append(timed(index.search, both))
    show("bare X @ q", percentiles(bare))
    for label, measured in (("10 nearest pages", nearest), ("the same with words", full)):
        ratio = statistics.median(measured) / statistics.median(bare)
        show(label, f"{percentiles(measured)}: {ratio:.2f} x")


def measure_replacing(index: EmbeddedIndex, pages: int, dims: int) -> None:
    updates = [
        embedded(number, 2, dims) for number in np.random.default_rng(1).permutation(pages)[:REPETITIONS]
    ]
    show("replacing a page", percentiles([timed(index.write, 1, [one]) for one in updates]))


def measure_another_process(
    index: EmbeddedIndex, writer: ProcessPoolExecutor, folder: Path, dims: int
) -> None:
    delays = []
    for sequence in range(3, 3 + REPETITIONS):
        saving = writer.submit(save, folder, sequence, dims)
        spec = QuerySpec(words=(), sources=SOURCES, vector=vectors_of(0, sequence, dims)[0], k={"content": 1})
        while index.search(spec)[0].page.sequence != sequence:
            pass
        delays.append(max(0.0, time.time() - saving.result()))
    show("another process's save seen after", percentiles(delays))


def fill(folder: Path, pages: int, dims: int) -> float:
    """Write generation 1 and make it live. Returns the seconds that writing took."""
    index = EmbeddedIndex(folder)
    index.create(GenerationRecipe(embedder={"name": "random", "dims": dims}, build={"name": "random"}))
    seconds = 0.0
    for first in range(0, pages, PAGES_PER_WRITE):
        batch = [embedded(number, 1, dims) for number in range(first, min(first + PAGES_PER_WRITE, pages))]
        seconds += timed(index.write, 1, batch)
    index.promote(1)
    index.close()
    return seconds


def save(folder: Path, sequence: int, dims: int) -> float:
    """Replace page 0. Returns the time when that was done."""
    index = EmbeddedIndex(folder)
    index.write(1, [embedded(0, sequence, dims)])
    done = time.time()
    index.close()
    return done


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
