"""Indexing of due pages: claim, write, settle.

Invariants:

* The claimed version is what is written; ``finish`` marks a page as indexed only if that version is still
  its newest, otherwise the page stays due. So any number of workers, in any order, arrive at the store's
  state.
* A worker may die at any point: the claim runs out (or is released when its lock is found free), the index
  accepts the same sequence again, the vector cache keeps finished embeddings.
* One page's error never stops another page.
* Work on a claim ends well before its lease does. Unfinished pages are handed back and resume where they
  stopped, because every finished step is kept. So a page that takes an hour needs no longer lease.
* A page that somebody waits for comes next: claimed pages of imports are handed back for it.
* An outcome that the page store could not record is recorded later, without repeating the work.
* While a generation is being built, every claim writes to it too (:mod:`app.indexing.difference` explains why
  no version is missed). The page's outcome is the live generation's, but it is settled only when both have
  it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import structlog
from structlog.contextvars import bound_contextvars

from app.errors import NotFoundError
from app.indexing.generations import check_location
from app.indexing.page_writer import BATCH_PAGES, PageWriter, log_context
from app.indexing.progress import BatchProgress, ProgressCounter, Show
from app.indexing.stopping import ClaimRunner, Stop, WorkControl, never, no_progress
from app.pages.page_queue import REWRITE_PRIORITY
from app.pages.store import PageStore
from app.pages.types import Claim, Failed, Indexed, Outcome, Waiting
from app.pages.workers import WorkerRegistry
from app.queue.tasks import INTERACTIVE_PRIORITY
from app.search.index import SearchIndex, current_generation, find_current
from app.search.types import Generation
from ingest.types import PageRef

POLL_SECONDS = 0.2
SLICE_PAGES = 200
BATCH_REMOVALS = SLICE_PAGES

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """The outcome of one claimed page."""

    ref: PageRef
    outcome: Outcome


@dataclass(kw_only=True, eq=False)
class Indexer:
    """Writes claimed pages to the live generation, and to the one that is being built.

    ``location``: the index's name (:mod:`app.indexing.generations`); ``retry_seconds`` and ``work_seconds``:
    see :class:`app.indexing.stopping.ClaimRunner`.
    """

    store: PageStore
    index: SearchIndex
    writer: PageWriter
    workers: WorkerRegistry
    retry_seconds: float
    location: str
    work_seconds: float = 120.0
    _unrecorded: list[tuple[Claim, Outcome]] = field(default_factory=list, init=False)

    @cached_property
    def _runner(self) -> ClaimRunner:
        return ClaimRunner(retry_seconds=self.retry_seconds, work_seconds=self.work_seconds)

    def sync_pages(
        self,
        *,
        refs: Sequence[PageRef] | None = None,
        limit: int = BATCH_PAGES,
        min_priority: int = REWRITE_PRIORITY,
        progress: Callable[[BatchProgress], None] = no_progress,
        stop: Stop = never,
    ) -> list[PageResult]:
        """Claim up to ``limit`` due pages (among ``refs``), or more if they are to be removed, including
        those of dead workers; write and settle them.

        Return one entry per claimed page; an empty list means that nothing was due. ``progress`` is called
        after each batch of chunks. Pages not done when ``stop`` returns True are handed back as waiting; so
        are pages that nobody waits for, when somebody waits for another. Raises ``IndexUnavailableError``,
        ``EmbedderUnavailableError``, ``PluginError``, ``DataFolderError`` (the disk is full) and
        ``PageStoreUnavailableError`` after handing all back, the last two perhaps at the next call.
        """
        self._record()
        self.release_dead()
        if not self.store.is_due(min_priority):
            return []
        claims = self.store.claim(limit, self.workers.id, refs, min_priority, removals=BATCH_REMOVALS)
        if not claims:
            return []
        return self._runner.run(
            len(claims),
            lambda work: self._write(claims, work),
            lambda outcomes: self._settle(claims, outcomes),
            # pages claimed together have the same priority
            stop=stop if claims[0].priority >= INTERACTIVE_PRIORITY else self._until_awaited(stop, refs),
            progress=progress,
        )

    def settle_pages(self, refs: Sequence[PageRef], show: Show) -> dict[PageRef, Outcome]:
        """Index ``refs`` until none of them is due, waiting or claimed by another worker.

        Return the outcomes of the pages written here. ``show`` is called with the progress of all pages that
        were not indexed yet. Raises what :meth:`sync_pages` does.
        """
        outcomes: dict[PageRef, Outcome] = {}
        slices = [refs[start : start + SLICE_PAGES] for start in range(0, len(refs), SLICE_PAGES)]
        pending = [self.store.pending(some) for some in slices]
        progress = ProgressCounter(show)
        progress.expect(sum(pending))
        for number, some in enumerate(slices):
            later = sum(pending[number + 1 :])
            while self.store.pending(some):
                results = self.sync_pages(refs=some, progress=progress.show_batch)
                outcomes |= {result.ref: result.outcome for result in results}
                written = sum(not isinstance(result.outcome, Waiting) for result in results)
                progress.settle(written, self.store.pending(some) + later)
                if not results:
                    time.sleep(POLL_SECONDS)
        return outcomes

    def release_dead(self) -> bool:
        """Release claims and leases of this machine's workers that died; return True if there were any."""
        return self.workers.release_dead(self.store.release)

    def _until_awaited(self, stop: Stop, refs: Sequence[PageRef] | None) -> Stop:
        """Return a stop for pages that nobody waits for: it also stops when somebody waits for a page (among
        ``refs``)."""
        awaited = partial(self.store.is_due, INTERACTIVE_PRIORITY, refs=refs, worker=self.workers.id)
        return lambda: stop() or awaited()

    def _write(self, claims: Sequence[Claim], work: WorkControl) -> list[Outcome]:
        """Write claims until the work is stopped; return one outcome for each that was reached. Raises
        ``StoppedError``."""
        while True:
            check_location(self.store, self.location)  # after the claim; builders rely on this order
            live = current_generation(self.index, self.store.id)
            try:
                written = self.writer.write(claims, [live, *self._built(claims, live)], work)
            except NotFoundError:  # two others went live since, so this one was dropped
                if find_current(self.index) == live:
                    raise
            else:
                return [self._joint(*each) for each in zip(*written, strict=True)]

    def _built(self, claims: Sequence[Claim], live: Generation) -> list[Generation]:
        """The generation that is being built, unless it is already live; empty if there is none."""
        number = claims[0].target  # pages claimed together have the same target
        if number in (None, live.number):
            return []
        return [item for item in self.index.generations() if item.number == number]

    def _joint(self, live: Outcome, *built: Outcome) -> Outcome:
        """Return the live generation's outcome, unless only the other generation refused the page. That one
        would go live with an older version, so the page stays due until then."""
        if isinstance(live, Indexed) and any(isinstance(outcome, Failed) for outcome in built):
            return Waiting(reason="rebuild", seconds=self.retry_seconds)
        return live

    def _settle(self, claims: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[PageResult]:
        settled = list(zip(claims, outcomes, strict=True))
        self._unrecorded.extend(settled)
        self._record()
        return [PageResult(ref=claim.ref, outcome=outcome) for claim, outcome in settled]

    def _record(self) -> None:
        """Record outcomes that the page store does not have yet."""
        if not self._unrecorded:
            return
        settlements = [(claim.ref, claim.sequence, outcome) for claim, outcome in self._unrecorded]
        self.store.finish(settlements, self.workers.id)
        recorded, self._unrecorded = self._unrecorded, []
        for claim, outcome in recorded:
            with bound_contextvars(**log_context(claim)):
                _log(outcome)


def _log(outcome: Outcome) -> None:
    match outcome:
        case Indexed():
            log.info("page_indexed")
        case Failed(reason=reason, message=message):
            log.warning("page_failed", reason=reason, message=message)
        case Waiting(reason=reason, seconds=seconds):
            log.info("page_waits", reason=reason, seconds=seconds)
