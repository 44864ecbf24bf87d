"""The services that run without being asked."""

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
    """Indexing and fetching step by step, and what is done at night, by all other ``services``."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    def close(self) -> None:
        """Stop the embedded worker."""
        if "worker" in self.__dict__:
            self.worker.close()

    @lazy
    def worker(self) -> EmbeddedWorker:
        """The threads that work where there is no broker: one indexes; one fetches, and one asks language
        models, which may have to wait for other servers; one does what has time while no page is due. The
        process that serves starts them."""
        pause = self._services.settings.retry_seconds
        worker = None
        for lock, run_once in (
            ("contexts", partial(self.features.run_lane, "models")),
            ("questions", partial(self.features.run_lane, "idle")),
            ("fetch", self._fetch_once),
        ):
            path = self._services.data / f"{lock}.lock"
            worker = EmbeddedWorker(lock=path, run_once=run_once, retry_seconds=pause, beside=worker)
        return EmbeddedWorker(
            lock=self._services.data / "drain.lock",
            run_once=self.steps.run_once,
            retry_seconds=pause,
            beside=worker,
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
        """Indexing and rebuilding."""
        return BackgroundSteps(
            self._services.indexing, rest_seconds=self._services.rest_seconds, faults=self.faults
        )

    @lazy
    def faults(self) -> StepFaults:
        """The last faults of the steps, of all processes."""
        return StepFaults(self._services.engine)

    def _step(self, name: str, step: StepFunction) -> BackgroundStep:
        return BackgroundStep(name, step, self._services.rest_seconds, self.faults)

    @lazy
    def fetch_scheduler(self) -> FetchScheduler:
        """Fetching of announced pages, and pulls that are due."""
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
        """Compares sources, page store and index, and repairs what differs."""
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
        """Reconciles and forgets once a night, where no workers keep a schedule."""
        nightly = NightlyStep(
            last=self._last_reconciled, delete_expired=self.delete_expired, reconcile=self._reconcile
        )
        return self._step("reconciliation", nightly)

    def attempt(self, name: str, work: Callable[[], object]) -> None:
        """Do ``work`` that a schedule asks for as a step of that name: whatever breaks is logged and kept."""

        def step(_stop: Stop) -> bool:
            work()
            return False

        self._step(name, step)(never)

    def delete_expired(self) -> None:
        """Delete what is older than it is kept, in short transactions. What cannot be deleted keeps nothing
        else."""
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
        """Compare sources, page store and index and repair what differs, and do what features do at night,
        whatever becomes of the others. ``new_stop``: gives each of these its own stop."""
        nightly = chain.from_iterable(feature.nightly for feature in self._services.features)
        run_all(
            [
                lambda: self.reconciler.run(stop=new_stop()),
                *(partial(self._call, name, new_stop) for name in nightly),
            ]
        )

    def _call(self, name: str, *arguments: Callable[[], Stop]) -> None:
        """Call a feature's function of the services, with what each argument makes."""
        resolve_name(name)(self._services, *(make() for make in arguments))

    def _reconcile(self, stop: Stop) -> None:
        self.reconcile(lambda: partial(self.fetch_scheduler.fetch_announced, stop))

    def _last_reconciled(self) -> datetime:
        """The last report's start, else when the live generation was made, which was compared then."""
        last = self.reconciliation_log.last()
        if last is not None:
            return last.started_at
        return current_generation(self._services.indexing.index, self._services.store.id).created
