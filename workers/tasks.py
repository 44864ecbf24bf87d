"""What workers do when they are woken. Which pages are due, and who works on them, says the page store.

So a task may be lost, doubled or run at any time: a lost one is made good by the next sweep, two at once
claim different pages.
"""

import time
from datetime import timedelta
from typing import Final

import structlog

from app.errors import AuskunftError
from app.pages.store import utc_now
from app.queue import SYNC
from app.services import Services
from workers.celery_app import app
from workers.process import services
from workers.schedule import RETENTION, SWEEP

SWEEP_PAGES: Final = 500
KEEP_VECTORS: Final = timedelta(days=30)

log = structlog.get_logger(__name__)


@app.task(name=SYNC)
def sync(min_priority: int = 0) -> None:
    """Index what is due, of this priority at least, until nothing is or a successor takes over."""
    started = time.monotonic()
    parts = services()
    try:
        parts.indexer.release_dead()
        if _work(parts, min_priority, started):
            parts.queue.wake(interactive=min_priority > 0)
    except AuskunftError as error:
        log.warning("indexing_waits", reason=str(error))


@app.task(name=SWEEP)
def sweep() -> None:
    """Make good what was lost on the way: dead workers' claims, and pages whose wake reached nobody."""
    parts = services()
    parts.broker.note_sweep(2 * parts.settings.sweep_seconds)
    parts.indexer.release_dead()
    due = parts.store.next_due()
    if due is not None and due <= utc_now():
        parts.queue.wake(min(parts.store.pending(), SWEEP_PAGES), interactive=False)


@app.task(name=RETENTION)
def retention() -> None:
    """Forget the vectors that nothing has used for long, and old messages with their jobs."""
    services().vector_cache.prune(KEEP_VECTORS)
    services().store.forget_jobs()


def _work(parts: Services, min_priority: int, started: float) -> bool:
    """Whether the time was up before the work. No claim is made when half of it is."""
    seconds = parts.settings.work_seconds

    def is_over() -> bool:
        return time.monotonic() - started > seconds

    while parts.indexer.sync_pages(min_priority=min_priority, stop=is_over):
        if time.monotonic() - started > seconds / 2:
            return True
    return False
