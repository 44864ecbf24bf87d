"""Fetches pages that a CMS announced by an event without their fields, and accepts them.

The announcement is committed with the event; the page is taken in, and the announcement ended, in one
transaction. So a worker may die at any point: the page is fetched again.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.errors import (
    NotFoundError,
    NotThereYetError,
    PageError,
    PluginError,
    SettingsError,
    SourceUnavailableError,
)
from app.pages.announcements import Announcements
from app.pages.store import utc_now
from app.pages.types import AnnouncementClaim, Failed, Waiting
from ingest.protocols import ListedSource
from ingest.types import Listed, RawPage

COMMIT_TIME: Final = timedelta(minutes=15)
"""For so long a page that is announced but not there may still be on its way."""

MIN_PAUSE_SECONDS: Final = 1.0
MAX_PAUSE_SECONDS: Final = 60.0
MAX_AWAY_SECONDS: Final = 3_600.0
"""Even if a source asks to be left alone for longer."""

log = structlog.get_logger(__name__)


class PageFetcher:
    """Fetches from what ``source_of`` gives for a source's name, as ``worker``. ``retry_seconds``: when a
    source that was away is asked again."""

    def __init__(
        self,
        *,
        announcements: Announcements,
        worker: str,
        source_of: Callable[[str], ListedSource],
        retry_seconds: float,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._announcements = announcements
        self._worker = worker
        self._source_of = source_of
        self._retry_seconds = retry_seconds
        self._clock = clock

    def fetch_next(self) -> bool:
        """Fetch the most urgent page that was announced; whether there was one that is due."""
        claim = self._announcements.claim(self._worker)
        if claim is None:
            return False
        try:
            page = self._fetch(claim)
        except PageError as error:
            log.warning("page_failed", page=str(claim.ref), reason=error.reason, message=str(error))
            self._announcements.fail(claim, Failed(reason=error.reason, message=str(error)), self._worker)
        except NotThereYetError as error:
            outcome = Waiting(reason=error.code, seconds=self._pause(claim))
            self._announcements.wait(claim, outcome, self._worker)
        except (SourceUnavailableError, NotFoundError, SettingsError, PluginError) as error:
            asked = getattr(error, "retry_seconds", None) or self._retry_seconds
            seconds = min(asked, MAX_AWAY_SECONDS)
            log.warning("source_away", source=claim.ref.source, reason=str(error), seconds=seconds)
            outcome = Waiting(reason=error.code, seconds=seconds)
            self._announcements.wait(claim, outcome, self._worker, whole_source=True)
        else:
            self._announcements.accept(claim, page, self._worker)
        return True

    def _fetch(self, claim: AnnouncementClaim) -> RawPage:
        """The page, in the announced version or a newer one. Raises what making a source and fetching do."""
        listed = Listed(ref=claim.ref, revision=claim.revision)
        source = self._source_of(claim.ref.source)
        page = fetch_announced(
            source, listed, announced=claim.announced_at, now=self._clock(), old_is_missing=True
        )
        if page is None:
            raise PageError("invalid", "announced, but there is nothing at its address")
        if is_older(page, listed):
            raise PageError("invalid", f"revision {claim.revision} was announced, but {page.revision} comes")
        return page

    def _pause(self, claim: AnnouncementClaim) -> float:
        """As long again as the page has been waited for."""
        waited = (self._clock() - claim.announced_at).total_seconds()
        return min(max(waited, MIN_PAUSE_SECONDS), MAX_PAUSE_SECONDS)


def fetch_announced(
    source: ListedSource, listed: Listed, *, announced: datetime, now: datetime, old_is_missing: bool = False
) -> RawPage | None:
    """The page that was ``announced`` then; ``None`` if it is gone.

    ``old_is_missing``: a version older than the announced one is as good as none.
    Raises ``NotThereYetError``, other ``SourceUnavailableError`` and ``PageError``.
    """
    page = source.page(listed)
    if now - announced >= COMMIT_TIME:
        return page
    if page is None or (old_is_missing and is_older(page, listed)):
        raise NotThereYetError(f"page {listed.ref.id!r} is announced, but not there yet")
    return page


def is_older(page: RawPage, listed: Listed) -> bool:
    """Whether what came is not yet the version that was announced."""
    return page.revision is not None and listed.revision is not None and page.revision < listed.revision
