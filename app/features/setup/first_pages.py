"""Reads the first pages of a website, the ones with the most links to them; nothing is stored."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError, SourceUnavailableError
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from ingest.protocols import WebsiteCrawl, WebsiteSource
from ingest.types import RawPage
from ingest.website.visits import Begun, Found, Unreachable

_NO_REASON: Final = "it is empty"


@dataclass(slots=True, kw_only=True)
class FirstPages:
    """Pages in the order in which they were read, as a source (:class:`ingest.protocols.Source`). ``left``:
    the number of addresses not visited."""

    name: str
    read: tuple[RawPage, ...]
    left: int

    def documents(self) -> Iterator[str]:
        """Yield the addresses of the pages."""
        return (page.document for page in self.read)

    def pages(self, document: str) -> Sequence[RawPage]:
        """Return the page at an address."""
        return [page for page in self.read if page.document == document]


def read_first_pages(source: WebsiteSource, progress: Callable[[int, int], None]) -> FirstPages:
    """Crawl a website. ``progress`` is called with the number of addresses visited and to be visited in all.

    Raises ``InputError`` if nothing was found, ``SourceError`` and ``SourceUnavailableError``.
    """
    crawl = source.crawl({})
    pages = tuple(_found(crawl, progress))
    if not pages:
        raise InputError(_nothing(crawl.reasons))
    if not pages[0].fields["content"].is_html:
        raise InputError(f"{pages[0].url} is not HTML: use the address of a website")
    return FirstPages(name=source.name, read=pages, left=crawl.left_out)


def _found(crawl: WebsiteCrawl, progress: Callable[[int, int], None]) -> Iterator[RawPage]:
    done = faults = 0
    for visit in crawl.visits():
        if visit is None or isinstance(visit, Begun):
            continue
        done += 1
        progress(done, done + crawl.pending)
        faults = faults + 1 if isinstance(visit, Unreachable) else 0
        if isinstance(visit, Unreachable) and faults == MAX_FAULTS_IN_A_ROW:
            raise SourceUnavailableError("{error}: try again later", error=str(visit.error))
        if isinstance(visit, Found) and "content" in visit.page.fields:
            yield visit.page


def _nothing(reasons: Counter[str]) -> str:
    why = ", ".join(f"{count} without a page ({reason})" for reason, count in reasons.most_common())
    return f"no page was found: {why or _NO_REASON}; give the address of another start page"
