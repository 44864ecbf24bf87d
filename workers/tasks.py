"""What workers do when they are woken. Which pages are due, and who works on them, says the page store.

So a task may be lost, doubled or run at any time: a lost one is made good by the next sweep, two at once
claim different pages.
"""

import time
from datetime import timedelta
from typing import Final

from app.duties import Step
from app.queue import SYNC
from workers.celery_app import app
from workers.process import services
from workers.schedule import RETENTION, SWEEP

SWEEP_PAGES: Final = 500
KEEP_VECTORS: Final = timedelta(days=30)


@app.task(name=SYNC)
def sync(min_priority: int = 0) -> None:
    """Do what is due, with a ``min_priority`` only index what somebody waits for, until nothing is or a
    successor takes over."""
    parts = services()
    turn = parts.duties.urgent_turn if min_priority > 0 else parts.duties.turn
    if _work(turn, parts.settings.work_seconds):
        parts.queue.wake(interactive=min_priority > 0)


@app.task(name=SWEEP)
def sweep() -> None:
    """Make good what was lost on the way: dead workers' claims, and pages whose wake reached nobody."""
    parts = services()
    parts.broker.note_sweep(2 * parts.settings.sweep_seconds)
    parts.indexer.release_dead()
    if parts.store.is_due() or parts.rebuilding.active():
        parts.queue.wake(min(parts.store.pending(), SWEEP_PAGES) or 1, interactive=False)


@app.task(name=RETENTION)
def retention() -> None:
    """Forget the vectors that nothing has used for long, and old messages with their jobs."""
    services().vector_cache.prune(KEEP_VECTORS)
    services().store.forget_jobs()


def _work(turn: Step, seconds: float) -> bool:
    """Whether the time was up before the work. No claim is made when half of it is."""
    started = time.monotonic()

    def is_over() -> bool:
        return time.monotonic() - started > seconds

    while turn(is_over):
        if time.monotonic() - started > seconds / 2:
            return True
    return False
