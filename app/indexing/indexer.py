"""Indexing what is due: claim pages, write them, settle them.

Invariants:

* What is written is always the claimed version; ``finish`` marks a page indexed only if that is still its
  newest one, otherwise it stays due. So any number of workers, in any order, end at the store's state.
* A worker may die at any point: the claim runs out (or is released when its lock is found free), the index
  accepts the same sequence again, the vector cache keeps what was embedded.
* One page's error never stops another page.
* Work on a claim ends well before its lease: what is not done by then is handed back, and resumes where it
  stopped, because every step done is kept. So a page that takes an hour needs no longer lease.
* A page that somebody waits for comes next: imported pages that are claimed are handed back for it.
* An outcome that the page store could not record is recorded later: nothing is done twice for that.
* While a generation is built, every claim writes to it too (:mod:`app.indexing.difference` says why that
  leaves no hole). The page's outcome is the live generation's, but it is not settled before both have it.
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
    """What became of one claimed page."""

    ref: PageRef
    outcome: Outcome


@dataclass(kw_only=True, eq=False)
class Indexer:
    """Brings claimed pages to the live generation, and to the one that is being built.

    ``location``: which index this is (:mod:`app.indexing.generations`); ``retry_seconds`` and
    ``work_seconds``: see :class:`app.indexing.stopping.ClaimRunner`.
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
        """Claim up to ``limit`` due pages (among ``refs``), or more if they are to be removed, those of dead
        workers too, write and settle them.

        Returns one entry per claimed page; an empty list means that nothing was due. ``progress`` is called
        after each batch of chunks. What is not done when ``stop`` returns True is handed back as waiting; so
        are pages that nobody waits for, when somebody waits for another. Raises ``IndexUnavailableError``,
        ``EmbedderUnavailableError``, ``PluginError``, ``DataFolderError`` (the disk is full) and
        ``PageStoreUnavailableError`` after handing all back, the last two perhaps with the next call.
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
            stop=stop if _is_interactive(claims) else self._until_awaited(stop, refs),
            progress=progress,
        )

    def settle_pages(self, refs: Sequence[PageRef], show: Show) -> dict[PageRef, Outcome]:
        """Index ``refs`` until none of them is due, waiting or claimed by another worker.

        Returns the outcomes of those that were written here. ``show`` is called with the progress of all that
        are not indexed yet. Raises what :meth:`sync_pages` does.
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
        """Release claims and leases of this machine's workers that died. True if there were any."""
        return self.workers.release_dead(self.store.release)

    def _until_awaited(self, stop: Stop, refs: Sequence[PageRef] | None) -> Stop:
        """A stop for pages that nobody waits for: it also ends when somebody waits for one (of ``refs``)."""
        awaited = partial(self.store.is_due, INTERACTIVE_PRIORITY, refs=refs, worker=self.workers.id)
        return lambda: stop() or awaited()

    def _write(self, claims: Sequence[Claim], work: WorkControl) -> list[Outcome]:
        """Write the first claims, as far as it comes: one outcome each. Raises ``StoppedError``."""
        while True:
            check_location(self.store, self.location)  # after the claim, as the builder relies on
            live = current_generation(self.index, self.store.id)
            try:
                written = self.writer.write(claims, [live, *self._built(claims, live)], work)
            except NotFoundError:  # two others went live since, so that this one was dropped
                if find_current(self.index) == live:
                    raise
            else:
                return [self._joint(*each) for each in zip(*written, strict=True)]

    def _built(self, claims: Sequence[Claim], live: Generation) -> list[Generation]:
        """The generation that is being built, if it is not live already."""
        number = claims[0].target  # claims made at once have the same
        if number in (None, live.number):
            return []
        return [item for item in self.index.generations() if item.number == number]

    def _joint(self, live: Outcome, *built: Outcome) -> Outcome:
        """The live generation's outcome, unless only the other one refused the page: it would keep an older
        version when it goes live, so the page stays due until then."""
        if isinstance(live, Indexed) and any(isinstance(outcome, Failed) for outcome in built):
            return Waiting(reason="rebuild", seconds=self.retry_seconds)
        return live

    def _settle(self, claims: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[PageResult]:
        settled = list(zip(claims, outcomes, strict=True))
        self._unrecorded.extend(settled)
        self._record()
        return [PageResult(ref=claim.ref, outcome=outcome) for claim, outcome in settled]

    def _record(self) -> None:
        """Record the outcomes that the page store does not have yet."""
        if not self._unrecorded:
            return
        settlements = [(claim.ref, claim.sequence, outcome) for claim, outcome in self._unrecorded]
        self.store.finish(settlements, self.workers.id)
        recorded, self._unrecorded = self._unrecorded, []
        for claim, outcome in recorded:
            with bound_contextvars(**log_context(claim)):
                _log(outcome)


def _is_interactive(claims: Sequence[Claim]) -> bool:
    """True if somebody waits for them; those of one claim have the same priority."""
    return claims[0].priority >= INTERACTIVE_PRIORITY


def _log(outcome: Outcome) -> None:
    match outcome:
        case Indexed():
            log.info("page_indexed")
        case Failed(reason=reason, message=message):
            log.warning("page_failed", reason=reason, message=message)
        case Waiting(reason=reason, seconds=seconds):
            log.info("page_waits", reason=reason, seconds=seconds)
