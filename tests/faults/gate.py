"""What must hold after every fault, once the queue has come to rest."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
from sqlalchemy import select

from app.errors import IndexUnavailableError
from app.pages.database import reading
from app.pages.tables import EPOCH, jobs
from app.pages.types import JobDocument
from app.search.index import HITS_PER_PAGE
from app.search.types import Candidate, QuerySpec
from app.services import Services
from app.sources.sender import ENDED
from ingest.pipeline import Pipeline
from ingest.types import FIELDS, EmbeddedPage, PageRef, RawPage, Vectors

REST_SECONDS: Final = 120.0
POLL_SECONDS: Final = 0.05
TOLERANCE: Final = 1e-4
"""Of cosines: an index may keep rounded vectors."""


def gate(services: Services, failed: Mapping[str, str] | None = None, since: datetime = EPOCH) -> None:
    """Wait until nothing is pending and every job accepted ``since`` has ended; then the index holds exactly
    the newest version of each page in the store, with its chunks, and of nothing else, but those that
    ``failed``: reasons by page id."""
    wait_for_rest(services, since)
    rows = list(services.page_list.records())
    reasons = {row.ref.id: row.reason.partition(":")[0] for row in rows if row.state == "failed"}
    assert reasons == (failed or {})
    wanted = {row.ref: row.sequence for row in rows if row.state == "indexed"}
    services.indexing.index.refresh()
    live = services.indexing.index.live()
    assert live is not None
    assert dict(services.indexing.index.refs(live.number)) == wanted
    check_contents(services, wanted)


def wait_for_rest(services: Services, since: datetime = EPOCH) -> None:
    """Wait until nothing is pending and every job has ended."""
    deadline = time.monotonic() + REST_SECONDS
    while services.store.pending() or unended(services, since):
        rows = [row for row in services.page_list.records() if row.state in ("pending", "waiting")]
        left = [*rows[:3], *unended(services, since)[:3]]
        assert time.monotonic() < deadline, f"still pending: {left}"
        time.sleep(POLL_SECONDS)


def unended(services: Services, since: datetime) -> list[JobDocument]:
    """The jobs accepted ``since`` that have not ended."""
    with reading(services.engine) as connection:
        ids = connection.execute(select(jobs.c.id).where(jobs.c.accepted_at >= since)).scalars().all()
    return [job for job in map(services.deliveries.job, ids) if job.status not in ENDED]


def check_contents(services: Services, wanted: Mapping[PageRef, int]) -> None:
    """The index serves each page's fields, chunks and vectors as the pipeline makes them of it."""
    newest = {item.ref: item.page for item in services.store.read(sorted(wanted))}
    built = _built(services, wanted, [page for page in newest.values() if page is not None])
    served = {page.ref: page for page in services.indexing.index.pages(sorted(wanted))}
    assert served.keys() == built.keys() == wanted.keys()
    for ref, page in built.items():
        assert served[ref].fields == page.page.fields
        content = [chunk for chunk in page.chunks if chunk.field == "content"]
        assert served[ref].content_spans == tuple((chunk.start, chunk.end) for chunk in content)
    if built:
        _check_vectors(services, built)


class _NoCache:
    """Knows no vectors, so that none is taken that somebody put there wrongly."""

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        return {}

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        pass

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """There is nothing."""


def _built(
    services: Services, wanted: Mapping[PageRef, int], pages: Sequence[RawPage]
) -> dict[PageRef, EmbeddedPage]:
    pipeline = Pipeline(
        convert=services.indexing.converter.convert,
        chunker=services.indexing.chunker,
        embedder=services.indexing.embedder,
        cache=_NoCache(),
    )
    prepared = [pipeline.prepare(page, wanted[page.ref]) for page in pages]
    return {page.page.ref: page for page in pipeline.embed(prepared)}


def _check_vectors(services: Services, built: Mapping[PageRef, EmbeddedPage]) -> None:
    """Two directions that have nothing to do with any page tell two different vectors apart."""
    sources = frozenset(ref.source for ref in built)
    for number in range(2):
        query = np.random.default_rng(number).normal(size=services.indexing.embedder.dims).astype(np.float32)
        query /= np.linalg.norm(query)
        spec = QuerySpec(
            words=(), vector=query, sources=sources, keyword="none", k=dict.fromkeys(FIELDS, len(built))
        )
        found = {candidate.page.ref: candidate for candidate in _search(services, spec)}
        assert found.keys() == built.keys()
        for ref, page in built.items():
            _check_cosines(page, page.vectors @ query, found[ref])


def _search(services: Services, spec: QuerySpec) -> Sequence[Candidate]:
    """Search again while the index is unavailable: one that has just started may answer late."""
    deadline = time.monotonic() + REST_SECONDS
    while True:
        try:
            return services.indexing.index.search(spec)
        except IndexUnavailableError:
            if time.monotonic() > deadline:
                raise


def _check_cosines(page: EmbeddedPage, cosines: Vectors, found: Candidate) -> None:
    for field in page.page.fields:
        expected = {
            (chunk.position, chunk.start, chunk.end): float(cosine)
            for chunk, cosine in zip(page.chunks, cosines, strict=True)
            if chunk.field == field
        }
        hits = {(hit.position, hit.start, hit.end): hit.cosine for hit in found.chunks[field]}
        assert hits.keys() <= expected.keys()
        assert all(abs(expected[chunk] - cosine) < TOLERANCE for chunk, cosine in hits.items())
        best = sorted(expected.values(), reverse=True)[:HITS_PER_PAGE]
        assert np.allclose(sorted(hits.values(), reverse=True), best, atol=TOLERANCE)
