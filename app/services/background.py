"""The services that run without being asked."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from app.background.embedded_worker import EmbeddedWorker
from app.background.fetch_scheduler import FetchScheduler
from app.background.nightly import NightlyStep
from app.background.reconcile import Reconciler
from app.background.steps import BackgroundStep, BackgroundSteps
from app.indexing.stopping import Stop
from app.lazy import lazy
from app.pages.reconciliations import ReconciliationLog
from app.queue.tasks import Queue
from app.search.generations import current_generation
from app.sources.factory import can_be_pulled

if TYPE_CHECKING:
    from app.services import Services


class BackgroundServices:
    """Indexing and fetching step by step, and what is done at night, by all other ``services``."""

    def __init__(self, services: Services, *, queue: Queue) -> None:
        self.lock = services.lock
        self._services = services
        self._queue = queue

    def close(self) -> None:
        """Stop the embedded worker."""
        if "worker" in self.__dict__:
            self.worker.close()

    @lazy
    def worker(self) -> EmbeddedWorker:
        """The threads that work where there is no broker: one indexes; one fetches and one writes contexts,
        which may have to wait for other servers. The process that serves starts them."""
        pause = self._services.settings.retry_seconds
        writing = EmbeddedWorker(
            lock=self._services.data / "contexts.lock", run_once=self.contexts, retry_seconds=pause
        )
        fetching = EmbeddedWorker(
            lock=self._services.data / "fetch.lock",
            run_once=self._fetch_once,
            retry_seconds=pause,
            beside=writing if self._services.indexing.contexts else None,
        )
        return EmbeddedWorker(
            lock=self._services.data / "drain.lock",
            run_once=self.steps.run_once,
            retry_seconds=pause,
            beside=fetching,
        )

    def _fetch_once(self, stop: Stop) -> bool:
        fetched = self.fetch_scheduler.run_once(stop)
        return self.nightly(stop) or fetched

    @lazy
    def steps(self) -> BackgroundSteps:
        """Indexing and rebuilding."""
        return BackgroundSteps(self._services.indexing, rest_seconds=self._services.rest_seconds)

    @lazy
    def contexts(self) -> BackgroundStep:
        """Writing of contexts of chunks: at most so many requests at once, and with their own rest."""
        return BackgroundStep("contexts", self._write_contexts, self._services.rest_seconds)

    def _write_contexts(self, stop: Stop) -> bool:
        writer = self._services.contexts.writer
        complete = None if writer is None else writer.run_once(stop)
        if complete:
            self._queue.wake(len(complete), interactive=False)
        return complete is not None

    @lazy
    def fetch_scheduler(self) -> FetchScheduler:
        """Fetching of announced pages, and pulls that are due."""
        return FetchScheduler(
            self._services.sources,
            scheduled=[
                name for name, table in self._services.settings.sources.items() if table.every is not None
            ],
            wake=self._queue.wake,
            rest_seconds=self._services.rest_seconds,
        )

    @lazy
    def reconciliation_log(self) -> ReconciliationLog:
        """The reports of comparisons of page store and index."""
        return ReconciliationLog(self._services.engine)

    @lazy
    def reconciler(self) -> Reconciler:
        """Compares sources, page store and index, and repairs what differs."""
        tables = self._services.settings.sources
        return Reconciler(
            store=self._services.store,
            index=self._services.indexing.opened_index,
            generations=self._services.indexing.generations,
            log=self.reconciliation_log,
            puller=self._services.sources.puller,
            pulled=[name for name, table in tables.items() if can_be_pulled(table)],
            wake=partial(self._queue.wake, interactive=False),
        )

    @lazy
    def nightly(self) -> BackgroundStep:
        """Reconciles and forgets once a night, where no workers keep a schedule."""
        nightly = NightlyStep(
            last=self._last_reconciled, delete_expired=self.delete_expired, reconcile=self._reconcile
        )
        return BackgroundStep("reconciliation", nightly, self._services.rest_seconds)

    def delete_expired(self) -> None:
        """Delete what is older than it is kept, in short transactions."""
        self._services.indexing.vector_cache.prune()
        self._services.deliveries.delete_expired()
        self._services.chat.service.delete_expired()
        self._services.contexts.delete_expired()

    def _reconcile(self, stop: Stop) -> None:
        fetch_announced = self.fetch_scheduler.fetch_announced
        self.reconciler.run(stop=lambda: fetch_announced(stop))

    def _last_reconciled(self) -> datetime:
        """The last report's start, else when the live generation was made, which was compared then."""
        last = self.reconciliation_log.last()
        if last is not None:
            return last.started_at
        return current_generation(self._services.indexing.index, self._services.store.id).created
