"""Reads the sitemaps of a website one by one, with limits on number and time."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ingest.errors import FetchError, SourceUnavailableError
from ingest.fetching.client import FetchedBody
from ingest.website.addresses import normalised
from ingest.website.sitemaps import Entry, read_sitemap

MAX_SITEMAPS: Final = 200
MAX_SECONDS: Final = 100.0
"""No sitemap is begun after this time, which is less than workers allow for a pull."""

_USUAL: Final = "/sitemap.xml"


class SitemapWalk:
    """The sitemaps that are ``named``, otherwise the usual one of ``origin``, and all that these name.

    ``fetch`` returns the body at an address, and raises ``FetchError`` and ``SourceUnavailableError``.
    ``reasons`` counts why sitemaps were not read.
    """

    def __init__(
        self,
        fetch: Callable[[str], FetchedBody | None],
        named: Sequence[str],
        origin: str,
        reasons: Counter[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._origin = origin
        self._reasons = reasons
        self._clock = clock
        self._is_named = bool(named)
        self._known: set[str] = set()
        self._pending: deque[str] = deque()
        self._add(named or [f"{origin}{_USUAL}"])

    def __iter__(self) -> Iterator[list[Entry]]:
        """Yield the list of pages in each sitemap."""
        until = self._clock() + MAX_SECONDS
        while self._pending:
            if self._clock() > until:
                why = f"a sitemap was left out: reading the others took {MAX_SECONDS:.0f} seconds"
                self._reasons[why] += len(self._pending)
                return
            yield self._read(self._pending.popleft())

    def _read(self, where: str) -> list[Entry]:
        try:
            fetched = self._fetch(where)
            found = read_sitemap(fetched.body if fetched else b"", where)
        except (FetchError, SourceUnavailableError) as error:
            if self._is_named or not isinstance(error, FetchError):
                self._reasons[f"a sitemap cannot be read: {error}"] += 1
            return []
        self._add(found.sitemaps)
        return found.pages

    def _add(self, addresses: Sequence[str]) -> None:
        for address in addresses:
            if len(self._known) == MAX_SITEMAPS:
                return
            where = normalised(address, self._origin)
            if where and where not in self._known:
                self._known.add(where)
                self._pending.append(where)
