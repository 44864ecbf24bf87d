"""A website of three pages, and what a crawl makes of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ingest.fetching.validators import Validators
from ingest.sources.website import WebsiteSource
from ingest.types import RawPage
from ingest.website.crawl import Crawl
from ingest.website.visits import Absent, Begun, Broken, Found
from tests.fakes.website import FakeWebsite
from tests.ingest.fetching.conftest import fetcher


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    with FakeWebsite() as web:
        web.page("/", "Welcome to the town.", "/a", "/b")
        web.page("/a", "Page a is about something.")
        web.page("/b", "Page b is about something else.")
        yield web


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """What came of a crawl: pages by their paths, why addresses have none, and errors."""

    crawl: Crawl
    pages: dict[str, RawPage]
    absent: dict[str, str]
    broken: dict[str, str]
    waits: list[float]

    @property
    def paths(self) -> list[str]:
        return sorted(self.pages)


def crawled(web: FakeWebsite, known: dict[str, Validators] | None = None, **options: Any) -> Crawled:
    """Crawl the website from its start page, or from ``start``."""
    waits: list[float] = []
    address = f"{web.address}{options.pop('start', '')}"
    limits = options.pop("limits", {})
    source = WebsiteSource(name="town", fetcher=fetcher(waits=waits, **limits), address=address, **options)
    crawl = source.crawl({f"{web.address}{path}": each for path, each in (known or {}).items()})
    visits = [visit for visit in crawl.visits() if not isinstance(visit, Begun | None)]
    at = {id(visit): visit.address.removeprefix(web.address) for visit in visits}
    return Crawled(
        crawl=crawl,
        pages={at[id(visit)]: visit.page for visit in visits if isinstance(visit, Found)},
        absent={at[id(visit)]: visit.why for visit in visits if isinstance(visit, Absent)},
        broken={at[id(visit)]: str(visit.error) for visit in visits if isinstance(visit, Broken)},
        waits=waits,
    )
