"""The write loop, the only way by which pages enter a search index: convert, cut, embed, write.

The indexer, a rebuild and the rebuild queue take different pages and use the outcomes differently, but all
write pages this way. Only rebuilding and reconciling remove pages that the page store does not have without
it.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile
from typing import Final

from structlog.contextvars import bound_contextvars

from app.errors import NotFoundError, PageError
from app.indexing.enrichment import ChunkEnricher, Enrichment
from app.indexing.stopping import WorkControl
from app.pages.counters import CHUNKS, EMBEDDING_SECONDS, Amounts, Key
from app.pages.types import Claim, Failed, Indexed, Outcome, StoredVersion
from app.search.index import SearchIndex
from app.search.types import Generation, Remove, Update, WriteResult
from ingest.pipeline import Pipeline, PreparedPage
from ingest.spans import span
from ingest.types import EmbeddedPage

BATCH_PAGES = 16
NO_TEXT: Final = "it has no visible text: it can only be found by other fields, such as the title"

_Prepared = PreparedPage | Remove | Failed
_Writable = Update | Failed


@dataclass(kw_only=True, eq=False)
class PageWriter:
    """Writes page versions to generations. They are converted and cut once, and embedded by each generation's
    own embedder: the pipelines from ``pipeline_of`` differ only in that. ``count`` is called with the amounts
    embedded (:mod:`app.pages.counters`). ``enrichers`` add to chunks before these are embedded."""

    index: SearchIndex
    pipeline_of: Callable[[Generation], Pipeline]
    count: Callable[[Amounts], None] = lambda _amounts: None
    enrichers: Sequence[ChunkEnricher] = ()

    def check(self, generation: Generation) -> None:
        """Raise ``PluginError`` or ``EmbedderUnavailableError`` if nothing can be embedded for it."""
        self.pipeline_of(generation)

    def write(
        self, pages: Sequence[StoredVersion], generations: Sequence[Generation], work: WorkControl
    ) -> list[list[Outcome]]:
        """Write ``pages`` to the first of ``generations``, then to the others.

        Return one list for each generation with one outcome for each page, in order. If ``work`` is stopped
        while pages are converted, the lists cover only the first pages (at least one). A later generation
        that was dropped meanwhile has no list.

        Raises ``StoppedError`` if ``work`` is stopped while pages are embedded, ``NotFoundError`` if the
        first generation was dropped, ``IndexUnavailableError``, ``EmbedderUnavailableError`` and
        ``PluginError``.
        """
        with span("indexing", pages=len(pages)):
            return self._written(pages, generations, work)

    def _written(
        self, pages: Sequence[StoredVersion], generations: Sequence[Generation], work: WorkControl
    ) -> list[list[Outcome]]:
        prepared, enrichments = self._enrich(self._prepare(pages, generations[0], work))
        writable: list[_Writable] = []
        embedder = None
        written: list[list[Outcome]] = []
        for generation in generations:
            if generation.recipe.embedder != embedder:
                writable = work.attempt(partial(self._embed, prepared, generation, work))
                embedder = generation.recipe.embedder
            try:
                written.append(work.attempt(partial(self._write, writable, generation)))
            except NotFoundError:
                if not written:
                    raise
        made = zip(pages, prepared, strict=False)  # only the first pages if work was stopped
        removed = [page.ref for page, item in made if not isinstance(item, PreparedPage)]
        for enrichment in enrichments:
            enrichment.note_written(removed)
        return written

    def _prepare(
        self, pages: Sequence[StoredVersion], generation: Generation, work: WorkControl
    ) -> list[_Prepared]:
        if all(item.page is None and not item.damage for item in pages):  # removing needs no embedder
            return [Remove(ref=item.ref, sequence=item.sequence) for item in pages]
        pipeline = work.attempt(partial(self.pipeline_of, generation))
        started = chain(pages[:1], takewhile(lambda _: not work.stop(), pages[1:]))
        return [work.attempt(partial(_prepare, pipeline, item)) for item in started]

    def _enrich(self, prepared: list[_Prepared]) -> tuple[list[_Prepared], list[Enrichment]]:
        pages: Sequence[PreparedPage] = [item for item in prepared if isinstance(item, PreparedPage)]
        made = []
        for enricher in self.enrichers:
            enrichment = enricher.enrich(pages)
            pages = enrichment.pages
            made.append(enrichment)
        enriched = iter(pages)
        return [next(enriched) if isinstance(item, PreparedPage) else item for item in prepared], made

    def _embed(
        self, prepared: Sequence[_Prepared], generation: Generation, work: WorkControl
    ) -> list[_Writable]:
        pages = [item for item in prepared if isinstance(item, PreparedPage)]
        meter = EmbeddingMeter(work.on_embedded(len(prepared)))
        try:
            with span("embed", pages=len(pages)):
                embedded = iter(self.pipeline_of(generation).embed(pages, meter) if pages else ())
        finally:
            self.count(meter.amounts)
        return [next(embedded) if isinstance(item, PreparedPage) else item for item in prepared]

    def _write(self, writable: Sequence[_Writable], generation: Generation) -> list[Outcome]:
        updates = [item for item in writable if not isinstance(item, Failed)]
        with span("write", pages=len(updates), generation=generation.number):
            results = iter(self.index.write(generation.number, updates))
        return [item if isinstance(item, Failed) else _outcome(item, next(results)) for item in writable]


class EmbeddingMeter:
    """Counts embedded chunks and measures the time taken. It is a progress function for
    :meth:`ingest.pipeline.Pipeline.embed`, and passes its calls on to ``progress``."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self.amounts: dict[Key, float] = defaultdict(float)
        self._progress = progress
        self._embedded = 0
        self._since: float | None = None

    def __call__(self, embedded: int, chunks: int) -> None:
        """Add the chunks since the last call: the first call is for cached ones, the others for batches."""
        now, fresh = time.monotonic(), embedded - self._embedded
        if self._since is None:
            self.amounts[CHUNKS, "cached", ""] += fresh
        else:
            self.amounts[CHUNKS, "embedded", ""] += fresh
            self.amounts[EMBEDDING_SECONDS, "", ""] += now - self._since
        self._embedded = embedded
        self._progress(embedded, chunks)
        self._since = time.monotonic()


def log_context(item: StoredVersion) -> dict[str, object]:
    """Return the fields by which a page can be followed in the log."""
    ref = item.ref
    names: dict[str, object] = {"source": ref.source, "page": ref.id, "language": ref.language}
    job = item.job if isinstance(item, Claim) else None
    return names | ({"job": job} if job else {})


def _prepare(pipeline: Pipeline, item: StoredVersion) -> _Prepared:
    if item.damage is not None:
        return item.damage
    if item.page is None:
        return Remove(ref=item.ref, sequence=item.sequence)
    try:
        with bound_contextvars(**log_context(item)), span("page", source=item.ref.source, page=item.ref.id):
            return pipeline.prepare(item.page, item.sequence)
    except PageError as error:
        return Failed(reason=error.reason, message=str(error))


def _outcome(item: Update, result: WriteResult) -> Outcome:
    if result.status == "failed":
        return Failed(reason="invalid", message=result.reason)
    if isinstance(item, EmbeddedPage) and "content" not in item.page.fields:
        return Indexed(warning=NO_TEXT)
    return Indexed()
