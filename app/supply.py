"""The parts that bring pages in from the sources of the settings, each built on first use."""

import threading
from collections.abc import Callable
from contextlib import ExitStack

from app.background.fetch_scheduler import FetchScheduler
from app.lazy import part
from app.pages.announcements import Announcements
from app.pages.pulls import PullLog
from app.pages.store import PageStore, utc_now
from app.queue.tasks import Queue
from app.settings.settings import Settings
from app.sources.factory import make_fetcher, make_listed_source, make_source
from app.sources.fetch import PageFetcher
from app.sources.pull import Puller
from ingest.fetching import Fetcher


class Supply:
    """Fetches as ``worker`` into ``store``; ``queue`` hears of it. They are asked for when they are needed.

    Safe to use from several threads.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        store: Callable[[], PageStore],
        worker: Callable[[], str],
        queue: Callable[[], Queue],
        rest_seconds: float,
    ) -> None:
        self.lock = threading.RLock()
        self._settings = settings
        self._store = store
        self._worker = worker
        self._queue = queue
        self._rest_seconds = rest_seconds
        self._open = ExitStack()

    def close(self) -> None:
        """Close the connections."""
        self._open.close()

    @part
    def client(self) -> Fetcher:
        """The one client that fetches pages."""
        client = make_fetcher(self._settings)
        self._open.callback(client.close)
        return client

    @part
    def pull_log(self) -> PullLog:
        """What pulls leave behind."""
        return PullLog(self._store().engine, utc_now)

    @part
    def puller(self) -> Puller:
        """Pulls whole sources."""
        return Puller(
            store=self._store(),
            log=self.pull_log,
            worker=self._worker(),
            tables=self._settings.sources,
            source_of=lambda name: make_source(self._settings, name, self.client),
            wake=lambda pages: self._queue().wake(pages, interactive=False),
        )

    @part
    def announcements(self) -> Announcements:
        """Which pages have to be fetched."""
        return Announcements(self._store().engine, utc_now, lease_seconds=self._settings.lease_seconds)

    @part
    def fetcher(self) -> PageFetcher:
        """Fetches pages that were announced."""
        return PageFetcher(
            announcements=self.announcements,
            worker=self._worker(),
            source_of=lambda name: make_listed_source(self._settings, name, self.client),
            retry_seconds=self._settings.retry_seconds,
        )

    @part
    def fetch_scheduler(self) -> FetchScheduler:
        """Both of them, in the background."""
        return FetchScheduler(
            fetcher=lambda: self.fetcher,
            puller=lambda: self.puller,
            scheduled=[name for name, table in self._settings.sources.items() if table.every is not None],
            wake=lambda: self._queue().wake(),
            rest_seconds=self._rest_seconds,
        )
