"""Pages that a CMS announced, by an event or in its listing, before it can deliver them."""

from datetime import datetime, timedelta
from typing import Final

from app.errors import NotThereYetError
from ingest.protocols import ListedSource
from ingest.types import Listed, RawPage

COMMIT_TIME: Final = timedelta(minutes=15)
"""For so long a page that is announced but not there may still be on its way."""


def fetch_announced(
    source: ListedSource, listed: Listed, *, announced: datetime, now: datetime
) -> RawPage | None:
    """The page that was ``announced`` then; ``None`` if it is gone.

    Raises ``NotThereYetError``, other ``SourceUnavailableError`` and ``PageError``.
    """
    page = source.page(listed)
    if page is None and now - announced < COMMIT_TIME:
        raise NotThereYetError(f"page {listed.ref.id!r} is announced, but not there yet")
    return page
