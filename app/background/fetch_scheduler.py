"""Brings in what sources have, step by step: pages that were announced, and pulls that are due.

Pages that somebody waits for come first: a pull makes way for every page that is announced meanwhile.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Final, Protocol

import structlog

from app.background.steps import BackgroundStep
from app.indexing.stopping import Stop
from app.sources.fetch import PageFetcher
from app.sources.pull import Puller

log = structlog.get_logger(__name__)


class SourceServices(Protocol):
    """What pages are fetched by. Each is built when it is first needed, and may be unavailable until then."""

    @property
    def fetcher(self) -> PageFetcher: ...

    @property
    def puller(self) -> Puller: ...


class FetchScheduler:
    """The background steps that fetch. ``scheduled``: the sources that are pulled by themselves. ``wake`` is
    called for each page that was fetched where others do the indexing."""

    def __init__(
        self,
        services: SourceServices,
        *,
        scheduled: Collection[str],
        wake: Callable[[], None],
        rest_seconds: float,
    ) -> None:
        self._services = services
        self._wake = wake
        self.fetch: Final = BackgroundStep("fetching", self._fetch_next, rest_seconds)
        self._pulls: Final = {
            name: BackgroundStep("pulling", partial(self._pull, name), rest_seconds) for name in scheduled
        }

    def run_once(self, stop: Stop) -> bool:
        """Fetch a page that was announced, and pull what is due; whether there may be more to do at once."""
        fetched = self._fetch_for_others(stop)
        pulled = [self.pull(name, stop) for name in self._pulls if not stop()]
        return fetched or any(pulled)

    def pull(self, name: str, stop: Stop) -> bool:
        """Pull a source, if it is ``scheduled`` and due; whether pages are left."""
        step = self._pulls.get(name)
        return step is not None and step(stop)

    def due(self) -> list[str]:
        """The sources that are due to be pulled."""
        return self._services.puller.due()

    def make_way(self, stop: Stop) -> bool:
        """Fetch what is announced before a pull goes on; whether it is to stop."""
        while not stop() and self._fetch_for_others(stop):
            pass
        return stop()

    def _fetch_next(self, _stop: Stop) -> bool:
        return self._services.fetcher.fetch_next()

    def _fetch_for_others(self, stop: Stop) -> bool:
        fetched = self.fetch(stop)
        if fetched:
            self._wake()
        return fetched

    def _pull(self, name: str, stop: Stop) -> bool:
        puller = self._services.puller
        if name not in puller.due():
            return False
        result = puller.pull_scheduled(name, stop=lambda: self.make_way(stop))
        if problem := result.problem():
            log.warning("pull_incomplete", source=name, problem=problem)
        return result.left > 0
