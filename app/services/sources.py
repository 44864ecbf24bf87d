"""The services that receive and fetch pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.lazy import lazy
from app.pages.announcements import Announcements
from app.pages.database import utc_now
from app.pages.pulls import PULL_SECONDS, PullLog
from app.sources.factory import make_fetcher, make_listed_source, make_source
from app.sources.fetch import PageFetcher
from app.sources.pull import Puller
from app.sources.rate_limit import RateLimiter
from app.sources.webhook import WebhookReceiver

if TYPE_CHECKING:
    from app.services import Services
    from ingest.fetching.client import Fetcher


class SourceServices:
    """The services of the configured sources, pushed or pulled."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def client(self) -> Fetcher:
        """The only HTTP client that fetches pages."""
        client = make_fetcher(self._services.settings)
        self._services.opened.callback(client.close)
        return client

    @lazy
    def webhook(self) -> WebhookReceiver:
        """The receiver of a CMS's messages."""
        return WebhookReceiver(
            deliveries=self._services.deliveries,
            page_list=self._services.page_list,
            queue=self._services,
            sources=self._services.settings.sources,
            rate_limiter=RateLimiter(),
            declared=self._services.settings.fields,
        )

    @lazy
    def announcements(self) -> Announcements:
        """The announced pages that have to be fetched."""
        lease_seconds = self._services.settings.lease_seconds
        return Announcements(self._services.engine, utc_now, lease_seconds=lease_seconds)

    @lazy
    def page_fetcher(self) -> PageFetcher:
        """The fetcher of announced pages."""
        return PageFetcher(
            announcements=self.announcements,
            worker=self._services.workers.id,
            source_of=lambda name: make_listed_source(self._services.settings, name, self.client),
            client=lambda: self.client,
            retry_seconds=self._services.settings.retry_seconds,
        )

    @lazy
    def pull_log(self) -> PullLog:
        """The log of pulls."""
        return PullLog(self._services.engine, utc_now, lease_seconds=PULL_SECONDS)

    @lazy
    def puller(self) -> Puller:
        """The puller of whole sources."""
        return Puller(
            store=self._services.store,
            pulls=self.pull_log,
            worker=self._services.workers.id,
            settings_by_source=self._services.settings.sources,
            source_of=lambda name: make_source(self._services.settings, name, self.client),
            wake=partial(self._services.wake, interactive=False),
        )
