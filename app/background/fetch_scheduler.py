"""Fetches from sources, step by step: announced pages, and due pulls.

Pages that somebody waits for come first: a pull pauses for every page that is announced meanwhile.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Final, Protocol

import structlog

from app.background.steps import BackgroundStep
from app.indexing.stopping import Stop
from app.pages.step_faults import StepFaults
from app.sources.fetch import PageFetcher
from app.sources.pull import Puller

log = structlog.get_logger(__name__)


class SourceServices(Protocol):
    """The services that fetch pages. Each is built on first use, which may raise."""

    @property
    def page_fetcher(self) -> PageFetcher: ...

    @property
    def puller(self) -> Puller: ...


class FetchScheduler:
    """The background steps that fetch. ``scheduled``: the sources that are pulled regularly. ``wake`` is
    called after each fetched page, to wake the indexing workers."""

    def __init__(
        self,
        services: SourceServices,
        *,
        scheduled: Collection[str],
        wake: Callable[[], None],
        rest_seconds: float,
        faults: StepFaults | None = None,
    ) -> None:
        self._services = services
        self._wake = wake
        self.fetch: Final = BackgroundStep(
            "fetching", lambda _stop: services.page_fetcher.fetch_next(), rest_seconds, faults
        )
        self._pulls: Final = {
            name: BackgroundStep("pulling", partial(self._pull, name), rest_seconds) for name in scheduled
        }

    def run_once(self, stop: Stop) -> bool:
        """Fetch an announced page, and pull due sources. Return True if there may be more to do at once."""
        fetched = self._fetch_and_wake(stop)
        pulled = [self.pull(name, stop) for name in self._pulls if not stop()]
        return fetched or any(pulled)

    def pull(self, name: str, stop: Stop) -> bool:
        """Pull a source, if it is ``scheduled`` and due. Return True if pages are left."""
        step = self._pulls.get(name)
        return step is not None and step(stop)

    def due(self) -> list[str]:
        """The sources that are due to be pulled."""
        return self._services.puller.due()

    def fetch_announced(self, stop: Stop) -> bool:
        """Fetch announced pages before a pull resumes. Return True if the pull is to stop."""
        while not stop() and self._fetch_and_wake(stop):
            pass
        return stop()

    def _fetch_and_wake(self, stop: Stop) -> bool:
        fetched = self.fetch(stop)
        if fetched:
            self._wake()
        return fetched

    def _pull(self, name: str, stop: Stop) -> bool:
        puller = self._services.puller
        if name not in puller.due():
            return False
        result = puller.pull_scheduled(name, stop=lambda: self.fetch_announced(stop))
        if (problem := result.problem()) and not result.left:
            log.warning("pull_incomplete", source=name, problem=problem)
        return result.left > 0
