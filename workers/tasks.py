"""The Celery tasks. The page store knows which pages are due and who has claimed them.

So a task may be lost, duplicated or run at any time: the next sweep replaces a lost one, and two at once
claim different pages.
"""

import time
from contextlib import suppress
from functools import partial
from typing import Final

from app.background.steps import StepFunction, run_all
from app.errors import BrokerUnavailableError
from app.feature import Step
from app.indexing.stopping import Stop
from app.queue.tasks import INTERACTIVE_PRIORITY, SYNC
from app.services import Services
from workers import process
from workers.celery_app import app
from workers.schedule import PULL, RECONCILE, RETENTION, STEP, SWEEP

SWEEP_PAGES: Final = 500


@app.task(name=SYNC)
def sync(min_priority: int = 0) -> None:
    """Fetch, index and rebuild until nothing is due; if the time is up before, send another task. With a
    ``min_priority`` above 0, only fetch and index pages that somebody waits for."""
    services = process.services()
    steps = services.background.steps
    index = steps.run_urgent_once if min_priority > 0 else steps.run_once

    def run_once(stop: Stop) -> bool:
        fetched = services.background.fetch_scheduler.fetch(stop)
        return index(stop) or fetched

    if _work(run_once, services.settings.work_seconds):
        services.queue.wake(interactive=min_priority > 0)


@app.task(name=PULL)
def pull(source: str) -> None:
    """Pull a source that is due. If the time is up before the end, send another task."""
    services = process.services()
    if services.background.fetch_scheduler.pull(source, _after(services.settings.work_seconds)):
        _send_pull(source)


@app.task(name=STEP)
def step(name: str) -> None:
    """Repeat a feature's step until nothing is left, the time is up, or somebody waits for a page. The next
    sweep's task continues, so that only a few run at once."""
    services = process.services()
    is_over = _after(services.settings.work_seconds)

    def stop() -> bool:
        return is_over() or services.store.is_due(INTERACTIVE_PRIORITY)

    while services.background.features.run(name, stop) and not stop():
        pass


@app.task(name=SWEEP)
def sweep() -> None:
    """Resume lost work: dead workers' claims, and pages whose wake-up was lost. A part that fails does not
    keep the others from running."""
    services = process.services()
    services.background.attempt("sweep", lambda: run_all(partial(part, services) for part in _SWEEPS))


def _note_sweep(services: Services) -> None:
    with suppress(BrokerUnavailableError):  # due work does not depend on this note
        services.broker.note_sweep(2 * services.settings.sweep_seconds)


def _release_dead(services: Services) -> None:
    services.indexing.indexer.release_dead()


def _wake(services: Services) -> None:
    announced = services.sources.announcements.is_due()
    if services.store.is_due() or announced or services.indexing.rebuild_queue.active():
        services.queue.wake(min(services.store.pending(), SWEEP_PAGES) or 1, interactive=False)


def _send_pulls(services: Services) -> None:
    for source in services.background.fetch_scheduler.due():
        _send_pull(source)


def _send_steps(services: Services) -> None:
    run_all(partial(_send_step, services, each) for each in services.background.features.all())


def _send_step(services: Services, due: Step) -> None:
    if services.background.features.is_due(due):
        lease, every = services.settings.lease_seconds, services.settings.sweep_seconds
        step.apply_async((due.name,), expires=every, time_limit=due.lease_share * lease)


_SWEEPS: Final = (
    _note_sweep,
    _release_dead,
    _wake,
    _send_pulls,
    _send_steps,
)


@app.task(name=RETENTION)
def retention() -> None:
    """Delete data whose retention time is over."""
    services = process.services()
    services.background.attempt("retention", services.background.delete_expired)


@app.task(name=RECONCILE)
def reconcile() -> None:
    """Compare sources, page store and index, and repair what differs."""
    services = process.services()
    new_stop = partial(_after, services.settings.work_seconds)
    services.background.attempt("reconciliation", lambda: services.background.reconcile(new_stop))


def _send_pull(source: str) -> None:
    """Send a pull. It expires if no worker starts it before the next sweep, which sends another."""
    pull.apply_async((source,), expires=process.services().settings.sweep_seconds)


def _after(seconds: float) -> Stop:
    """Return a stop that is True ``seconds`` after its first call, so that at least one step is done."""
    started: list[float] = []

    def is_over() -> bool:
        started[:] = started or [time.monotonic()]
        return time.monotonic() - started[0] > seconds

    return is_over


def _work(run_once: StepFunction, seconds: float) -> bool:
    """Repeat a step. Return True if the time was up before the work was done; the last step begins in the
    first half of the time, so that no claim is made late."""
    started = time.monotonic()

    def is_over() -> bool:
        return time.monotonic() - started > seconds

    while run_once(is_over):
        if time.monotonic() - started > seconds / 2:
            return True
    return False
