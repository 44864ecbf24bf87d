"""The services that run in the background."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from app.background.embedded_worker import EmbeddedWorker
from app.background.fetch_scheduler import FetchScheduler
from app.background.nightly import NightlyStep
from app.background.reconcile import Reconciler
from app.background.steps import BackgroundStep, BackgroundSteps, StepFunction, run_all
from app.indexing.stopping import Stop, never
from app.lazy import lazy
from app.pages.reconciliations import ReconciliationLog
from app.pages.step_faults import StepFaults
from app.search.index import current_generation
from app.services.feature_steps import FeatureSteps
from app.sources.factory import can_be_pulled

if TYPE_CHECKING:
    from app.services import Services


class BackgroundServices:
    """Indexing and fetching step by step, and nightly work, built on all other ``services``."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    def close(self) -> None:
        """Stop the embedded worker."""
        if "worker" in self.__dict__:
            self.worker.close()

    @lazy
    def worker(self) -> EmbeddedWorker:
        """The threads that work if there is no broker; the process that serves starts them.

        One indexes. One fetches, and one calls language models: they are separate because they may wait for
        other servers. One does work that can wait until no page is due."""
        pause = self._services.settings.retry_seconds
        worker = None
        for lock, run_once in (
            ("contexts", partial(self.features.run_lane, "models")),
            ("questions", partial(self.features.run_lane, "idle")),
            ("fetch", self._fetch_once),
        ):
            path = self._services.data / f"{lock}.lock"
            worker = EmbeddedWorker(lock=path, run_once=run_once, retry_seconds=pause, companion=worker)
        return EmbeddedWorker(
            lock=self._services.data / "drain.lock",
            run_once=self.steps.run_once,
            retry_seconds=pause,
            companion=worker,
        )

    def _fetch_once(self, stop: Stop) -> bool:
        fetched = self.fetch_scheduler.run_once(stop)
        return self.nightly(stop) or fetched

    @lazy
    def features(self) -> FeatureSteps:
        """The steps of features."""
        return FeatureSteps(self._services, self._step)

    @lazy
    def steps(self) -> BackgroundSteps:
        """The steps of indexing and rebuilding."""
        return BackgroundSteps(
            self._services.indexing, rest_seconds=self._services.rest_seconds, faults=self.faults
        )

    @lazy
    def faults(self) -> StepFaults:
        """The last faults of the steps, in all processes."""
        return StepFaults(self._services.engine)

    def _step(self, name: str, step: StepFunction) -> BackgroundStep:
        return BackgroundStep(name, step, self._services.rest_seconds, self.faults)

    @lazy
    def fetch_scheduler(self) -> FetchScheduler:
        """The fetching of announced pages, and due pulls."""
        return FetchScheduler(
            self._services.sources,
            scheduled=[
                name for name, table in self._services.settings.sources.items() if table.every is not None
            ],
            wake=self._services.wake,
            rest_seconds=self._services.rest_seconds,
            faults=self.faults,
        )

    @lazy
    def reconciliation_log(self) -> ReconciliationLog:
        """The reports of comparisons of page store and index."""
        return ReconciliationLog(self._services.engine)

    @lazy
    def reconciler(self) -> Reconciler:
        """The comparison of sources, page store and index, which repairs differences."""
        tables = self._services.settings.sources
        return Reconciler(
            store=self._services.store,
            index=self._services.indexing.opened_index,
            generations=self._services.indexing.generations,
            log=self.reconciliation_log,
            puller=self._services.sources.puller,
            pulled=[name for name, table in tables.items() if can_be_pulled(table)],
            wake=partial(self._services.wake, interactive=False),
        )

    @lazy
    def nightly(self) -> BackgroundStep:
        """The step that reconciles and deletes expired records once a night, if no workers keep a
        schedule."""
        nightly = NightlyStep(
            last=self._last_reconciled, delete_expired=self.delete_expired, reconcile=self._reconcile
        )
        return self._step("reconciliation", nightly)

    def attempt(self, name: str, work: Callable[[], object]) -> None:
        """Do scheduled ``work`` as a step called ``name``, so that faults are logged and stored."""

        def step(_stop: Stop) -> bool:
            work()
            return False

        self._step(name, step)(never)

    def delete_expired(self) -> None:
        """Delete expired records, in short transactions. If one kind cannot be deleted, the others still
        are."""
        of_features = chain.from_iterable(feature.expire for feature in self._services.features)
        run_all(
            [
                self._services.indexing.vector_cache.prune,
                self._services.deliveries.delete_expired,
                self._services.chat.service.delete_expired,
                *(partial(self._call, name) for name in of_features),
            ]
        )

    def reconcile(self, new_stop: Callable[[], Stop]) -> None:
        """Reconcile sources, page store and index, and run the nightly functions of features, each even if
        others fail. ``new_stop``: makes a separate stop for each."""
        nightly = chain.from_iterable(feature.nightly for feature in self._services.features)
        run_all(
            [
                lambda: self.reconciler.run(stop=new_stop()),
                *(partial(self._call, name, new_stop) for name in nightly),
            ]
        )

    def _call(self, name: str, *arguments: Callable[[], Stop]) -> None:
        """Call a feature's function with the services and the results of ``arguments``."""
        resolve_name(name)(self._services, *(make() for make in arguments))

    def _reconcile(self, stop: Stop) -> None:
        self.reconcile(lambda: partial(self.fetch_scheduler.fetch_announced, stop))

    def _last_reconciled(self) -> datetime:
        """Return the start of the last reconciliation; if there was none, the time at which the live
        generation was made, because making one compares everything."""
        last = self.reconciliation_log.last()
        if last is not None:
            return last.started_at
        return current_generation(self._services.indexing.index, self._services.store.id).created
