"""What workers do when they are woken. Which pages are due, and who works on them, says the page store.

So a task may be lost, doubled or run at any time: a lost one is made good by the next sweep, two at once
claim different pages.
"""

import time
from contextlib import suppress
from typing import Final

import structlog

from app.background.steps import StepFunction
from app.errors import AuskunftError, BrokerUnavailableError
from app.indexing.stopping import Stop
from app.queue.tasks import SYNC
from workers.celery_app import app
from workers.process import services
from workers.schedule import PULL, RECONCILE, RETENTION, SWEEP

SWEEP_PAGES: Final = 500

log = structlog.get_logger(__name__)


@app.task(name=SYNC)
def sync(min_priority: int = 0) -> None:
    """Do what is due, with a ``min_priority`` only index what somebody waits for, until nothing is or a
    successor takes over."""
    parts = services()
    index = parts.background.steps.run_urgent_once if min_priority > 0 else parts.background.steps.run_once

    def run_once(stop: Stop) -> bool:
        fetched = parts.background.fetch_scheduler.fetch(stop)
        return index(stop) or fetched

    if _work(run_once, parts.settings.work_seconds):
        parts.queue.wake(interactive=min_priority > 0)


@app.task(name=PULL)
def pull(source: str) -> None:
    """Pull a source that is due. What takes too long is left to the next task."""
    parts = services()
    if parts.background.fetch_scheduler.pull(source, _after(parts.settings.work_seconds)):
        _send_pull(source)


@app.task(name=SWEEP)
def sweep() -> None:
    """Make good what was lost on the way: dead workers' claims, and pages whose wake reached nobody."""
    parts = services()
    with suppress(BrokerUnavailableError):  # what is due is due, whoever hears of the sweep
        parts.broker.note_sweep(2 * parts.settings.sweep_seconds)
    parts.indexing.indexer.release_dead()
    announced = parts.sources.announcements.is_due()
    if parts.store.is_due() or announced or parts.indexing.rebuild_queue.active():
        parts.queue.wake(min(parts.store.pending(), SWEEP_PAGES) or 1, interactive=False)
    for source in parts.background.fetch_scheduler.due():
        _send_pull(source)


@app.task(name=RETENTION)
def retention() -> None:
    """Delete what is older than anybody asks for."""
    services().background.forget()


@app.task(name=RECONCILE)
def reconcile() -> None:
    """Compare sources, page store and index, and mend what differs."""
    parts = services()
    try:
        parts.background.reconciler.run(stop=_after(parts.settings.work_seconds))
    except AuskunftError as error:
        log.warning("reconciliation_ended", reason=str(error))


def _send_pull(source: str) -> None:
    """One that finds no worker in time is void, as a sweep is: the next sweep sends another."""
    pull.apply_async((source,), expires=services().settings.sweep_seconds)


def _after(seconds: float) -> Stop:
    """To stop so long after this is first asked, so that whatever came before, a step is done."""
    began: list[float] = []

    def is_over() -> bool:
        began[:] = began or [time.monotonic()]
        return time.monotonic() - began[0] > seconds

    return is_over


def _work(run_once: StepFunction, seconds: float) -> bool:
    """Whether the time was up before the work. No claim is made when half of it is."""
    started = time.monotonic()

    def is_over() -> bool:
        return time.monotonic() - started > seconds

    while run_once(is_over):
        if time.monotonic() - started > seconds / 2:
            return True
    return False
