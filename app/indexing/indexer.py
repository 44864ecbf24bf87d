"""The only write path into the search index: page store -> pipeline -> index.

Invariants:

* What is written is always the claimed version; ``finish`` marks a page indexed only if that is still its
  newest one, otherwise it stays due. So any number of workers, in any order, end at the store's state.
* A worker may die at any point: the claim runs out (or is released when its lock is found free), the index
  accepts the same sequence again, the vector cache keeps what was embedded.
* One page's error never stops another page.
* Work on a claim ends well before its lease: what is not done by then is handed back, and goes on where it
  stopped, because every step done is kept. So a page that takes an hour needs no longer lease.
* What came of a claim is told again while the page store does not hear it: nothing is done twice for that.
* While a generation is built, every claim writes to it too (:mod:`app.indexing.difference` says why that
  leaves no hole). The page's outcome is the live generation's, but it is not settled before both have it.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from app.errors import (
    DataFolderError,
    EmbedderUnavailableError,
    IndexUnavailableError,
    NotFoundError,
    PageError,
    PageStoreUnavailableError,
    PluginError,
)
from app.indexing.embedding_meter import EmbeddingMeter
from app.indexing.generations import check_place
from app.indexing.stopping import HANDED_BACK, Stop, StoppedError, WorkControl, never
from app.pages.counters import Amounts
from app.pages.store import PageStore
from app.pages.types import Claim, Failed, Indexed, Outcome, StoredVersion, Waiting
from app.pages.workers import WorkerRegistry
from app.search.generations import current_generation, find_current
from app.search.index import SearchIndex
from app.search.types import Generation, Remove, Update, WriteResult
from ingest.pipeline import Pipeline, PreparedPage
from ingest.types import PageRef

log = structlog.get_logger(__name__)

BATCH_PAGES = 16
BROKEN: Final = "internal_error"

_AWAY: Final = (
    IndexUnavailableError,
    EmbedderUnavailableError,
    PluginError,
    DataFolderError,
    PageStoreUnavailableError,
)
"""What ends by itself or by an administrator, whatever page it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """What became of one claimed page."""

    ref: PageRef
    outcome: Outcome


Prepared = PreparedPage | Remove | Failed
Planned = Update | Failed


class PageWriter:
    """Brings page versions to generations. They are converted and cut once, and embedded by each
    generation's own embedder: ``pipeline_of`` gives pipelines that differ in nothing else."""

    def __init__(
        self,
        *,
        index: SearchIndex,
        pipeline_of: Callable[[Generation], Pipeline],
        count: Callable[[Amounts], None] = lambda _amounts: None,
    ) -> None:
        """``count`` is told what was embedded (:mod:`app.pages.counters`)."""
        self._index = index
        self._pipeline_of = pipeline_of
        self._count = count

    def check(self, generation: Generation) -> None:
        """Raises ``PluginError`` and ``EmbedderUnavailableError`` where nothing can be embedded for it."""
        self._pipeline_of(generation)

    def prepare(
        self, pages: Sequence[StoredVersion], generation: Generation, stop: Stop = never
    ) -> list[Prepared]:
        """Convert and cut, one result each in order; of the first ones only, one at least, if stopped.
        Raises ``PluginError``."""
        if all(item.page is None and not item.damage for item in pages):  # which needs no embedder
            return [Remove(ref=item.ref, sequence=item.sequence) for item in pages]
        pipeline = self._pipeline_of(generation)
        taken = chain(pages[:1], takewhile(lambda _: not stop(), pages[1:]))
        return [_prepare(pipeline, item) for item in taken]

    def embed(
        self,
        prepared: Sequence[Prepared],
        generation: Generation,
        progress: Callable[[int], None] = lambda _windows: None,
    ) -> list[Planned]:
        """Embed for ``generation``. Raises ``EmbedderUnavailableError`` and ``PluginError``."""
        pages = [item for item in prepared if isinstance(item, PreparedPage)]
        meter = EmbeddingMeter(progress)
        try:
            embedded = iter(self._pipeline_of(generation).embed(pages, meter) if pages else ())
        finally:
            self._count(meter.amounts)
        return [next(embedded) if isinstance(item, PreparedPage) else item for item in prepared]

    def write(self, planned: Sequence[Planned], generation: Generation) -> list[Outcome]:
        """Write, one outcome each in order. Raises ``IndexUnavailableError`` and ``NotFoundError``."""
        updates = [item for item in planned if not isinstance(item, Failed)]
        results = iter(self._index.write(generation.number, updates))
        return [item if isinstance(item, Failed) else _outcome(next(results)) for item in planned]


class Indexer:
    """Brings claimed pages to the live generation, and to the one that is being built."""

    def __init__(
        self,
        *,
        store: PageStore,
        index: SearchIndex,
        writer: PageWriter,
        workers: WorkerRegistry,
        retry_seconds: float,
        place: str,
        work_seconds: float = 120.0,
    ) -> None:
        """``place``: which index this is (:mod:`app.indexing.generations`). ``work_seconds``: after which a
        claim is handed back; leave the lease time for another step."""
        self._store = store
        self._index = index
        self._writer = writer
        self._workers = workers
        self._place = place
        self._retry_seconds = retry_seconds
        self._work_seconds = work_seconds
        self._untold: deque[tuple[Claim, Outcome]] = deque()

    def sync_pages(
        self,
        *,
        refs: Sequence[PageRef] | None = None,
        limit: int = BATCH_PAGES,
        min_priority: int = 0,
        progress: Callable[[int], None] = lambda _windows: None,
        stop: Stop = never,
    ) -> list[PageResult]:
        """Claim up to ``limit`` due pages (among ``refs``), write them, settle them.

        Returns one entry per claimed page; an empty list means that nothing was due. ``progress`` hears of
        embedded windows. What is not done when ``stop`` says so is handed back as waiting. Raises
        ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``PluginError``, ``DataFolderError`` (the
        disk is full) and ``PageStoreUnavailableError`` after handing all back, the last two perhaps with the
        next call.
        """
        self._tell()
        claims = self._store.claim(limit, self._workers.id, refs, min_priority)
        if not claims:
            return []
        until = time.monotonic() + self._work_seconds
        work = WorkControl(progress=progress, stop=lambda: stop() or time.monotonic() > until)
        try:
            outcomes = self._write(claims, work)
        except StoppedError:
            outcomes = []
        except _AWAY as error:
            self._settle(claims, [Waiting(reason=error.code, seconds=self._retry_seconds)] * len(claims))
            raise
        except KeyboardInterrupt:
            self._settle(claims, [HANDED_BACK] * len(claims))
            raise
        except Exception:  # a page may have used up all memory: those beside it need not wait for the lease
            broken = Waiting(reason=BROKEN, seconds=self._retry_seconds, counted=True)
            self._settle(claims, [broken] * len(claims))
            raise
        return self._settle(claims, outcomes + [HANDED_BACK] * (len(claims) - len(outcomes)))

    def release_dead(self) -> bool:
        """Take back what workers of this machine held when they died; whether there were any."""
        return self._workers.release_dead(self._store.release)

    def _write(self, claims: Sequence[Claim], work: WorkControl) -> list[Outcome]:
        """The outcomes of the first claims, as far as they were worked on. Raises ``StoppedError``."""
        while True:
            check_place(self._store, self._place)  # after the claim, as the builder relies on
            live = current_generation(self._index, self._store.id)
            try:
                return self._write_both(claims, live, work)
            except NotFoundError:  # two others went live since, so that this one was dropped
                if find_current(self._index) == live:
                    raise

    def _write_both(self, claims: Sequence[Claim], live: Generation, work: WorkControl) -> list[Outcome]:
        prepared = self._writer.prepare(claims, live, work.stop)
        planned = self._writer.embed(prepared, live, work.embedded())
        outcomes = self._writer.write(planned, live)
        target = self._target(claims, live)
        if target is None:
            return outcomes
        if target.recipe.embedder != live.recipe.embedder:
            planned = self._writer.embed(prepared, target, work.embedded())
        try:
            built = self._writer.write(planned, target)
        except NotFoundError:  # the build was given up
            return outcomes
        return [self._joint(*both) for both in zip(outcomes, built, strict=True)]

    def _target(self, claims: Sequence[Claim], live: Generation) -> Generation | None:
        """What is being built, where that is not live already."""
        number = claims[0].target  # claims made at once have the same
        if number in (None, live.number):
            return None
        return next((item for item in self._index.generations() if item.number == number), None)

    def _joint(self, live: Outcome, built: Outcome) -> Outcome:
        """The live generation's outcome, unless only the other one refused the page: it would keep an older
        version when it goes live, so the page stays due until then."""
        if isinstance(live, Indexed) and isinstance(built, Failed):
            return Waiting(reason="rebuild", seconds=self._retry_seconds)
        return live

    def _settle(self, claims: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[PageResult]:
        self._untold.extend(zip(claims, outcomes, strict=True))
        self._tell()
        return [
            PageResult(ref=claim.ref, outcome=outcome)
            for claim, outcome in zip(claims, outcomes, strict=True)
        ]

    def _tell(self) -> None:
        """Settle what is not settled yet, in order."""
        while self._untold:
            claim, outcome = self._untold[0]
            self._store.finish(claim.ref, claim.sequence, outcome, self._workers.id)
            self._untold.popleft()
            with bound_contextvars(**_names(claim)):
                _log(outcome)


def _names(item: StoredVersion) -> dict[str, object]:
    """What log lines about a page say, so that it can be followed."""
    ref = item.ref
    names: dict[str, object] = {"source": ref.source, "page": ref.id, "language": ref.language}
    job = item.job if isinstance(item, Claim) else None
    return names | ({"job": job} if job else {})


def _log(outcome: Outcome) -> None:
    match outcome:
        case Indexed():
            log.info("page_indexed")
        case Failed(reason=reason, message=message):
            log.warning("page_failed", reason=reason, message=message)
        case Waiting(reason=reason, seconds=seconds):
            log.info("page_waits", reason=reason, seconds=seconds)


def _prepare(pipeline: Pipeline, item: StoredVersion) -> Prepared:
    if item.damage is not None:
        return item.damage
    if item.page is None:
        return Remove(ref=item.ref, sequence=item.sequence)
    try:
        with bound_contextvars(**_names(item)):
            return pipeline.prepare(item.page, item.sequence)
    except PageError as error:
        return Failed(reason=error.reason, message=str(error))


def _outcome(result: WriteResult) -> Outcome:
    if result.status == "failed":
        return Failed(reason="invalid", message=result.reason)
    return Indexed()
