"""What looks after an installation at night, built from its parts."""

from datetime import datetime
from typing import TYPE_CHECKING

from app.background.nightly import NightlyStep
from app.background.reconcile import Reconciler
from app.background.steps import BackgroundStep
from app.indexing.stopping import Stop
from app.lazy import part
from app.pages.reconciliations import ReconciliationLog
from app.search.live import current_generation
from app.sources.factory import can_be_pulled

if TYPE_CHECKING:
    from app.services import Services


class Maintenance:
    """Reconciling and forgetting. Safe to use from several threads."""

    def __init__(self, services: "Services", *, rest_seconds: float) -> None:
        self.lock = services.lock
        self._services = services
        self._rest_seconds = rest_seconds

    @part
    def log(self) -> ReconciliationLog:
        """What comparisons of page store and index found."""
        return ReconciliationLog(self._services.store.engine)

    @part
    def reconciler(self) -> Reconciler:
        """Compares sources, page store and index, and mends what differs."""
        parts = self._services
        return Reconciler(
            store=parts.store,
            index=parts.opened_index,
            generations=parts.generations,
            log=self.log,
            puller=parts.supply.puller,
            pulled=[name for name, table in parts.settings.sources.items() if can_be_pulled(table)],
            wake=lambda pages: parts.queue.wake(pages, interactive=False),
        )

    def forget(self) -> None:
        """Delete what is older than anybody asks for, in short transactions."""
        self._services.vector_cache.prune()
        self._services.store.forget_jobs()
        self._services.chat.forget()

    def run_once(self, stop: Stop) -> bool:
        """A :data:`app.background.steps.Step` that does both once a night, where no workers keep a
        schedule."""
        return self._duty(stop)

    @part
    def _duty(self) -> BackgroundStep:
        nightly = NightlyStep(last=self._last_reconciled, forget=self.forget, reconcile=self._reconcile)
        return BackgroundStep("reconciliation", nightly, self._rest_seconds)

    def _reconcile(self, stop: Stop) -> None:
        make_way = self._services.supply.fetch_scheduler.make_way
        self.reconciler.run(stop=lambda: make_way(stop))

    def _last_reconciled(self) -> datetime:
        """Without a report, when the live generation was made: it was compared before it went live."""
        last = self.log.last()
        if last is not None:
            return last.started_at
        return current_generation(self._services.index, self._services.store.id).created
