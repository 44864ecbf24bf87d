"""The services that run without being asked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from app.background.answer_changes import ComparisonStep
from app.background.embedded_worker import EmbeddedWorker
from app.background.fetch_scheduler import FetchScheduler
from app.background.nightly import NightlyStep
from app.background.question_groups import GroupingStep
from app.background.reconcile import Reconciler
from app.background.steps import BackgroundStep, BackgroundSteps, StepFunction, run_all
from app.indexing.stopping import Stop, never
from app.lazy import lazy
from app.pages.reconciliations import ReconciliationLog
from app.pages.step_faults import StepFaults
from app.presets import Thresholds
from app.queue.tasks import Queue
from app.search.generations import current_generation, live_generation
from app.sources.factory import can_be_pulled
from ingest.protocols import Embedder

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
        """The threads that work where there is no broker: one indexes; one fetches and one asks language
        models, which may have to wait for other servers; one looks after visitors' questions. The process
        that serves starts them."""
        pause = self._services.settings.retry_seconds
        asks_models = self._services.indexing.contexts or self._services.settings.judge.live_answers
        asking = EmbeddedWorker(
            lock=self._services.data / "contexts.lock", run_once=self._ask_models_once, retry_seconds=pause
        )
        tending = EmbeddedWorker(
            lock=self._services.data / "questions.lock",
            run_once=self.questions,
            retry_seconds=pause,
            beside=asking if asks_models else None,
        )
        fetching = EmbeddedWorker(
            lock=self._services.data / "fetch.lock",
            run_once=self._fetch_once,
            retry_seconds=pause,
            beside=tending,
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

    def _ask_models_once(self, stop: Stop) -> bool:
        wrote = self.contexts(stop)
        return self.live_quality(stop) or wrote

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
    def grouping(self) -> GroupingStep:
        """Grouping of visitors' questions by meaning."""
        chat = self._services.chat
        return GroupingStep(chat.question_groups, self._embedding, done=chat.answer_changes.choose)

    def _embedding(self) -> tuple[Embedder, Thresholds]:
        live = live_generation(self._services.indexing.index, self._services.store.id)
        thresholds = self._services.preset.thresholds(live.recipe.embedder)
        return self._services.indexing.embedders.of(live), thresholds

    def questions(self, stop: Stop) -> bool:
        """Do what is done with visitors' questions while no page is due. True if there may be more."""
        self._group(lambda: stop() or self._services.store.is_due())
        return self._compare_answers(stop)

    @lazy
    def _group(self) -> BackgroundStep:
        return self._step("grouping", self.grouping)

    @lazy
    def _compare_answers(self) -> BackgroundStep:
        chat = self._services.chat
        return self._step("comparing", ComparisonStep(chat.answer_changes, chat.answer_anew))

    @lazy
    def contexts(self) -> BackgroundStep:
        """Writing of contexts of chunks: at most so many requests at once, and with their own rest."""
        return self._step("contexts", self._write_contexts)

    def _write_contexts(self, stop: Stop) -> bool:
        writer = self._services.contexts.writer
        complete = None if writer is None else writer.run_once(stop)
        if complete:
            self._queue.wake(len(complete), interactive=False)
        return complete is not None

    @lazy
    def live_quality(self) -> BackgroundStep:
        """Grading of a sample of the last day's answers."""
        return self._step("live_quality", self._grade_answers)

    def _grade_answers(self, stop: Stop) -> bool:
        if not self._services.settings.judge.live_answers:  # asked first: the rest takes a while to import
            return False
        return self._services.quality.grader(stop)

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
            wake=partial(self._queue.wake, interactive=False),
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
        """Delete what is older than it is kept, in short transactions, and have what is left of visitors'
        questions grouped. What cannot be deleted keeps nothing else."""
        run_all(
            [
                self._services.indexing.vector_cache.prune,
                self._services.deliveries.delete_expired,
                self._services.chat.service.delete_expired,
                self._services.contexts.delete_expired,
                self._services.chat.question_groups.request,
            ]
        )

    def reconcile(self, new_stop: Callable[[], Stop]) -> None:
        """Compare sources, page store and index and repair what differs, compare changed pages with others,
        and learn translations, whatever becomes of the others. ``new_stop``: gives each of these its own
        stop."""
        run_all(
            [
                lambda: self.reconciler.run(stop=new_stop()),
                lambda: self._services.contradictions.scanner.run(new_stop()),
                lambda: self._services.indexing.term_learner.run(new_stop()),
            ]
        )

    def _reconcile(self, stop: Stop) -> None:
        self.reconcile(lambda: partial(self.fetch_scheduler.fetch_announced, stop))

    def _last_reconciled(self) -> datetime:
        """The last report's start, else when the live generation was made, which was compared then."""
        last = self.reconciliation_log.last()
        if last is not None:
            return last.started_at
        return current_generation(self._services.indexing.index, self._services.store.id).created
