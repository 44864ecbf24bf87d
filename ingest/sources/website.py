"""The source ``website``: a website's pages, found by its sitemaps or links."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from ingest import languages
from ingest.documents.reader import DocumentReader
from ingest.fetching.client import Fetcher
from ingest.fetching.validators import Validators
from ingest.options import validate_options
from ingest.types import UNDETERMINED, PageRef
from ingest.website.addresses import normalised
from ingest.website.crawl import NO_TRAIL, Crawl
from ingest.website.crawl_options import CrawlOptions
from ingest.website.visits import Trail

MAX_PAGES: Final = 10_000


class WebsiteSource:
    """A website that starts at ``address``; a page's id is its address.

    * ``include``, ``exclude``: paths (``/de/``, several with commas) that pages must, or must not, begin with
    * ``follow_links``: follow links even if there is a sitemap
    * ``max_pages``: the most addresses to visit, beginning with those that most links lead to
    * ``per_second``: the most requests, if fewer than the installation's limit
    * ``language``: that of pages that do not state theirs
    * ``conversion_seconds``, ``conversion_bytes``: limits of converting a document. Documents of a kind are
      left out if the package to read them is missing.
    """

    @validate_options
    def __init__(
        self,
        *,
        name: str,
        fetcher: Fetcher,
        address: str,
        include: str = "",
        exclude: str = "",
        follow_links: bool = False,
        max_pages: int = MAX_PAGES,
        per_second: float | None = None,
        language: str | None = None,
        conversion_seconds: float = 60.0,
        conversion_bytes: int = 2_000_000_000,
    ) -> None:
        self.name = PageRef(source=name, id="any", language=UNDETERMINED).source
        start = normalised(address)
        if not start:
            raise ValueError("option 'address': use one such as https://www.town.example")
        if max_pages < 1 or (per_second is not None and per_second <= 0):
            raise ValueError("options 'max_pages' and 'per_second': must be above 0")
        self._fetcher = fetcher.confined(start)  # because redirects and sitemaps may lead anywhere
        self._reader = DocumentReader(conversion_seconds, conversion_bytes)
        self._options = CrawlOptions(
            name=self.name,
            start=start,
            include=_paths("include", include),
            exclude=_paths("exclude", exclude),
            follow_links=follow_links,
            max_pages=max_pages,
            per_second=per_second,
            language=_code(language) if language else "",
            year=datetime.now(UTC).year,
        )

    def crawl(self, known: Mapping[str, Validators], trail: Trail = NO_TRAIL) -> Crawl:
        """Return a crawl of the website; see :class:`ingest.website.crawl.Crawl`."""
        return Crawl(self._fetcher, self._options, known, self._reader, trail)


def _paths(option: str, text: str) -> tuple[str, ...]:
    paths = tuple(part.strip() for part in text.split(",") if part.strip())
    if any(not path.startswith("/") for path in paths):
        raise ValueError(f"option {option!r}: use paths that begin with /, such as /de/")
    return paths


def _code(language: str) -> str:
    code = languages.normalise(language)
    if code is None:
        raise ValueError(f"language {language[:40]!r}: use an ISO 639-1 code such as 'de'")
    return code
