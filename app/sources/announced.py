"""Pages that a CMS announced, by an event or in its listing, before it can deliver them."""

from datetime import datetime, timedelta
from typing import Final

from app.errors import NotThereYetError
from ingest.protocols import ListedSource
from ingest.types import Listed, RawPage

COMMIT_TIME: Final = timedelta(minutes=15)
"""For so long a page that is announced but not there may still be on its way."""


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
