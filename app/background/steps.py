"""The background steps, run again and again by the embedded worker or by Celery's workers.

Every kind of work is a separate step: one that fails rests, and the others continue.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import structlog

from app.errors import AuskunftError
from app.indexing.indexer import Indexer
from app.indexing.rebuild_queue import RebuildQueue
from app.indexing.stopping import Stop
from app.pages.page_queue import REWRITE_PRIORITY
from app.pages.step_faults import StepFaults
from app.pages.store import PageStore
from app.queue.tasks import INTERACTIVE_PRIORITY
from ingest.page_guard import described

StepFunction = Callable[[Stop], bool]
"""Does part of its work, and stops early if its argument returns True. Returns True if there may be more to
do at once."""

log = structlog.get_logger(__name__)


class BackgroundStep:
    """One kind of work, called ``name`` in the log.

    It rests for ``rest_seconds`` after an expected error; when no memory is left, because ``MemoryError``
    would end a Celery worker with all its processes; and after a fault of ours or of a plugin, which must not
    end other work. ``faults`` stores such faults.
    """

    def __init__(
        self, name: str, step: StepFunction, rest_seconds: float, faults: StepFaults | None = None
    ) -> None:
        self._name = name
        self._step = step
        self._rest_seconds = rest_seconds
        self._faults = faults
        self._rests_until = 0.0

    def __call__(self, stop: Stop) -> bool:
        """Do part of the work, as a :data:`StepFunction`. Raises no ``Exception``."""
        if time.monotonic() < self._rests_until:
            return False
        try:
            return self._step(stop)
        except (AuskunftError, MemoryError) as error:
            reason = str(error) or "no memory is left"
            log.warning(f"{self._name}_waits", reason=reason, seconds=self._rest_seconds)
        except Exception as error:  # the outermost boundary of background work
            log.error(f"{self._name}_broke", seconds=self._rest_seconds, exc_info=True)
            self._note(error)
        self._rests_until = time.monotonic() + self._rest_seconds
        return False

    def _note(self, error: Exception) -> None:
        if self._faults is not None:
            with suppress(AuskunftError):  # an unavailable page store is reported by its own check
                self._faults.note(self._name, described(error))


def run_all(parts: Iterable[Callable[[], object]]) -> None:
    """Run every part, even if others fail, then raise the first error; further ones are logged."""
    first: Exception | None = None
    for part in parts:
        try:
            part()
        except Exception as error:  # raised below
            if first is not None:
                log.error("part_failed_too", exc_info=True)
            first = first or error
    if first is not None:
        raise first


class IndexingServices(Protocol):
    """The services of the steps. Each is built on first use, which may raise."""

    @property
    def store(self) -> PageStore: ...

    @property
    def indexer(self) -> Indexer: ...

    @property
    def rebuild_queue(self) -> RebuildQueue: ...


class BackgroundSteps:
    """Indexing and rebuilding. ``rest_seconds``, ``faults``: see :class:`BackgroundStep`."""

    def __init__(
        self, services: IndexingServices, *, rest_seconds: float, faults: StepFaults | None = None
    ) -> None:
        self._services = services
        self._urgent: Final = BackgroundStep(
            "indexing", partial(self._index, INTERACTIVE_PRIORITY), rest_seconds, faults
        )
        self._all: Final = (
            BackgroundStep("indexing", partial(self._index, REWRITE_PRIORITY), rest_seconds, faults),
            BackgroundStep("rebuilding", self._rebuild, rest_seconds, faults),
        )

    def run_once(self, stop: Stop) -> bool:
        """Index and rebuild a batch. Return True if there may be more to do at once."""
        worked = [step(stop) for step in self._all]
        return any(worked)

    def run_urgent_once(self, stop: Stop) -> bool:
        """Index a batch of pages that somebody waits for. Return True if there may be more."""
        return self._urgent(stop)

    def _index(self, min_priority: int, stop: Stop) -> bool:
        return bool(self._services.indexer.sync_pages(min_priority=min_priority, stop=stop))

    def _rebuild(self, stop: Stop) -> bool:
        """Rebuild until ``stop``, or until somebody waits for a page."""
        is_due = self._services.store.is_due
        return self._services.rebuild_queue.advance(lambda: stop() or is_due(INTERACTIVE_PRIORITY))
