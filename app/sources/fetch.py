"""Fetches and accepts pages that a CMS announced without their fields.

The announcement is committed with the event. Accepting the page and ending the announcement are one
transaction: if a worker dies at any point, the page is fetched again.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import structlog

from app.errors import (
    AuskunftError,
    FetchError,
    GoneError,
    NotFoundError,
    NotThereYetError,
    PageError,
    PluginError,
    SettingsError,
    SourceUnavailableError,
)
from app.pages.announcements import Announcements
from app.pages.database import utc_now
from app.pages.types import AnnouncementClaim, Failed, Waiting
from ingest import documents
from ingest.page_guard import guarded
from ingest.protocols import ListedSource
from ingest.sources.records import CONTENT_TYPES, raw_page
from ingest.types import ListingItem, RawPage
from ingest.website.addresses import suffix_of

if TYPE_CHECKING:
    from ingest.fetching.client import Fetcher

COMMIT_TIME: Final = timedelta(minutes=15)
"""Time for which an announced page may be missing, because the CMS may not have committed it yet."""

FILE_TIME: Final = timedelta(days=3)
"""Time for which the host of an announced page's file may be unavailable."""

MIN_PAUSE_SECONDS: Final = 1.0
MAX_PAUSE_SECONDS: Final = 60.0
MAX_RETRY_SECONDS: Final = 3_600.0
"""The longest pause, even if a source asks for a longer one."""

_KEYS: Final[dict[str, str]] = {
    media_type: key for key, media_type in CONTENT_TYPES.items() if media_type in documents.FILE_TYPES
}
_UNNAMED: Final = "application/octet-stream"
"""The media type that servers give to files of unknown kind."""

log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False)
class PageFetcher:
    """Fetches announced pages as ``worker``. ``source_of``: makes a source by its name; ``client``: returns
    the HTTP client for files. ``retry_seconds``: pause after a source was unavailable."""

    announcements: Announcements
    worker: str
    source_of: Callable[[str], ListedSource]
    client: Callable[[], "Fetcher"]
    retry_seconds: float
    clock: Callable[[], datetime] = utc_now

    def fetch_next(self) -> bool:
        """Fetch the most urgent announced page. Return False if none is due."""
        claim = self.announcements.claim(self.worker)
        if claim is None:
            return False
        try:
            with guarded(claim.ref.id):
                page = self._fetch(claim)
        except PageError as error:
            log.warning("page_failed", page=str(claim.ref), reason=error.reason, message=str(error))
            self.announcements.fail(claim, Failed(reason=error.reason, message=str(error)), self.worker)
        except NotThereYetError as error:
            outcome = Waiting(reason=error.code, seconds=self._pause(claim))
            self.announcements.wait(claim, outcome, self.worker)
        except (SourceUnavailableError, NotFoundError, SettingsError, PluginError) as error:
            self._put_off(claim, error)
        else:
            self.announcements.accept(claim, page, self.worker)
        return True

    def _fetch(self, claim: AnnouncementClaim) -> RawPage:
        """Fetch the announced version or a newer one. Raises what making a source and fetching raise."""
        if claim.record:
            return fetch_file(self.client(), claim, self.clock())
        listed = ListingItem(ref=claim.ref, revision=claim.revision)
        source = self.source_of(claim.ref.source)
        page = fetch_listed(
            source, listed, announced=claim.announced_at, now=self.clock(), old_is_missing=True
        )
        if page is None:
            raise PageError("invalid", "announced, but there is no page at its address")
        if is_older(page, listed):
            raise PageError(
                "invalid", f"revision {claim.revision} was announced, but {page.revision} was sent"
            )
        return page

    def _put_off(self, claim: AnnouncementClaim, error: AuskunftError) -> None:
        """Try again later. If a source is unavailable, all its pages wait. If the host of a file is, which
        may be any host, only that page waits, at growing intervals, until it is given up."""
        waited = (self.clock() - claim.announced_at).total_seconds()
        if claim.record and waited > FILE_TIME.total_seconds():
            failed = Failed(reason="invalid", message=f"given up after {FILE_TIME.days} days: {error}")
            self.announcements.fail(claim, failed, self.worker)
            return
        pause = getattr(error, "retry_seconds", None) or self.retry_seconds
        seconds = min(max(pause, waited) if claim.record else pause, MAX_RETRY_SECONDS)
        log.warning("source_unavailable", source=claim.ref.source, reason=str(error), seconds=seconds)
        outcome = Waiting(reason=error.code, seconds=seconds)
        self.announcements.wait(claim, outcome, self.worker, whole_source=not claim.record)

    def _pause(self, claim: AnnouncementClaim) -> float:
        """Return the seconds to wait: as many as have passed since the announcement, so that the total
        doubles with each attempt."""
        waited = (self.clock() - claim.announced_at).total_seconds()
        return min(max(waited, MIN_PAUSE_SECONDS), MAX_PAUSE_SECONDS)


def fetch_file(client: "Fetcher", claim: AnnouncementClaim, now: datetime) -> RawPage:
    """Fetch the file of a page whose other values are known.

    Raises ``NotThereYetError``, other ``SourceUnavailableError`` and ``PageError``.
    """
    record = json.loads(claim.record)
    address = record.pop("file_url")
    try:
        fetched = client.get(address, accept=(*_KEYS, _UNNAMED))
    except GoneError as error:
        if now - claim.announced_at < COMMIT_TIME:
            raise NotThereYetError(
                f"page {claim.ref.id!r} is announced, but its file is not available"
            ) from error
        raise PageError(error.reason, str(error)) from error
    except FetchError as error:
        raise PageError(error.reason, str(error)) from error
    named = documents.MEDIA_TYPES.get(suffix_of(fetched.url), "")
    key = _KEYS.get(fetched.media_type) or _KEYS.get(named)
    if key is None:
        raise PageError(
            "unsupported", f"{address}: neither its server nor its suffix says what kind of file it is"
        )
    record[key] = b64encode(fetched.body).decode("ascii")
    ref = claim.ref
    page = raw_page(record, source=ref.source, document=ref.id, url="", language=ref.language)
    return replace(page, revision=claim.revision)


def fetch_listed(
    source: ListedSource,
    listed: ListingItem,
    *,
    announced: datetime,
    now: datetime,
    old_is_missing: bool = False,
) -> RawPage | None:
    """Fetch a page that is said to exist since ``announced``; return ``None`` if it is gone.

    For ``COMMIT_TIME`` a missing page counts as not there yet. ``old_is_missing``: a version older than the
    announced one counts as missing. Raises ``NotThereYetError``, other ``SourceUnavailableError`` and
    ``PageError``.
    """
    page = source.page(listed)
    if now - announced >= COMMIT_TIME:
        return page
    if page is None or (old_is_missing and is_older(page, listed)):
        raise NotThereYetError(f"page {listed.ref.id!r} is announced, but not available yet")
    return page


def is_older(page: RawPage, listed: ListingItem) -> bool:
    """Return True if the fetched page is older than the announced version."""
    return page.revision is not None and listed.revision is not None and page.revision < listed.revision
