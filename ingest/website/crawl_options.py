"""Limits and rules of a crawl of a website."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """The options of :class:`ingest.sources.website.WebsiteSource`."""

    name: str
    start: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    follow_links: bool
    max_pages: int
    per_second: float | None
    language: str
    year: int
