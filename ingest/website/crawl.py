"""One crawl of a website: every address once, known ones first, with limits on rate and number."""

import hashlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from ingest import documents
from ingest.documents.reader import DocumentReader
from ingest.errors import (
    FetchError,
    GoneError,
    PageError,
    RedirectedError,
    SourceError,
    SourceUnavailableError,
)
from ingest.fetching.client import ANY_TYPE, FetchedBody, Fetcher
from ingest.fetching.validators import Validators
from ingest.page_guard import fatal_error, guarded, with_remedy
from ingest.website import sitemaps
from ingest.website.addresses import Scope, may_be_page, normalised, origin_of, suffix_of
from ingest.website.crawl_options import CrawlOptions
from ingest.website.frontier import Frontier
from ingest.website.pages import Text, decoded, read_head, read_text
from ingest.website.replies import SCRIPTED, Replies
from ingest.website.robots import Robots, read_robots
from ingest.website.seen import Seen
from ingest.website.sitemap_walk import SitemapWalk
from ingest.website.visits import Absent, Begun, Broken, Found, Same, Step, Trail, Unreachable, Visit

HTML: Final = ("text/html", "application/xhtml+xml")
PLAIN: Final = {"text/markdown": "markdown", "text/plain": "text"}
MAX_HOPS: Final = 5
NO_TRAIL: Final = Trail()

_NOTHING: Final = Validators()
_OUTSIDE: Final = "outside the website"
_WAITING: Final = "waits for its canonical address"


class Crawl:
    """A crawl, driven by iterating over :meth:`visits`.

    ``known``: validators by address, from earlier crawls; empty to fetch the page in any case. All these
    addresses are visited, whatever dates a sitemap gives, because many systems write dates that never change.
    ``reader``: converts documents. ``trail``: that of an interrupted crawl, whose visits are not repeated.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        options: CrawlOptions,
        known: Mapping[str, Validators],
        reader: DocumentReader,
        trail: Trail = NO_TRAIL,
    ) -> None:
        self.listing = trail
        self._fetcher = fetcher
        self._options = options
        self._known = known
        self._reader = reader
        self._documents = documents.readable()
        self._accepted = (*HTML, *PLAIN, *self._documents.values())
        self._robots = Robots("")
        self._scope = self._scope_of(origin_of(options.start))
        self._frontier = Frontier(options.max_pages)
        self._clicks = 0
        self._follow = True
        self._seen = Seen(options.start)
        self.reasons = self._seen.reasons
        self._waiting: dict[str, list[tuple[Found, Text]]] = {}
        self._replies = Replies(options, reader)
        self._lost_target = ""

    @property
    def step(self) -> Step:
        """The visit that was yielded last, in short."""
        return self._seen.step

    @property
    def pending(self) -> int:
        """The number of addresses still to visit, as far as is known."""
        return self._frontier.pending

    @property
    def left_out(self) -> int:
        """The number of addresses that are not visited: too many, or too far from the start."""
        return self._frontier.left_out + self._frontier.waiting - self._frontier.pending

    def visits(self) -> Iterator[Visit | Begun | None]:
        """Visit the website; yield ``None`` now and then while there is no result to report.

        Raises ``SourceError`` and ``SourceUnavailableError`` if the start page or robots.txt cannot be read.
        """
        try:
            yield from self._visits()
        finally:
            self._reader.close()

    def _visits(self) -> Iterator[Visit | Begun | None]:
        first, links = yield from self._start()
        yield None
        steps = self.listing.steps
        for step in steps:
            self._frontier.visit(step.address, step.clicks)
            self._seen.repeat(step)
        if self.listing.listed is None:
            yield from self._read_sitemaps()
        else:
            self._push_all(self.listing.listed, 0)
        self.reasons.update(self.listing.reasons)
        self._follow = self._options.follow_links or not self.listing.listed
        self._probe()
        for address in self._known:
            self._push(address, clicks=0)
        for step in steps:
            self._push_all(step.links, step.clicks + 1)
        if first.address not in self._seen:
            yield from self._settled(first, links)
        while taken := self._frontier.take():
            address, self._clicks = taken
            yield Begun(address=address)
            yield from self._settled(*self._visit(address))
        for address in list(self._waiting):
            yield from self._resolve(address, is_page=False)

    def _scope_of(self, origin: str) -> Scope:
        options = self._options
        return Scope(origin=origin, include=options.include, exclude=options.exclude, year=options.year)

    def _start(self) -> Generator[Begun | None, None, tuple[Visit, list[str]]]:
        """Visit the start page and follow its redirects; the last origin is that of the website."""
        address, origin = self._options.start, ""
        for _ in range(MAX_HOPS + 1):
            if origin_of(address) != origin:
                yield None
                origin = origin_of(address)
                self._robots = read_robots(self._fetcher, origin, self._options.per_second)
                self._scope = self._scope_of(origin)
            if not self._robots.allow(address):
                raise SourceError(f"{address}: robots.txt forbids programs to read it: allow Auskunft there")
            self._frontier.visit(address)
            yield Begun(address=address)
            try:
                fetched = self._get(address)
            except RedirectedError as error:
                target = normalised(error.target)
                if target == address:
                    raise SourceError(f"{address} redirects to itself: use another address") from error
                address = target
                continue
            except (FetchError, PageError) as error:
                why = with_remedy(error, self._options.name)
                raise SourceError(f"the start page cannot be read: {why}") from error
            visit, links = self._read(address, fetched)
            if not self._scope.contains(address):
                visit = Absent(address=address, why=_OUTSIDE)
            return visit, links
        raise SourceError(
            f"{self._options.start} redirects more than {MAX_HOPS} times: use the final address"
        )

    def _get(
        self,
        address: str,
        *,
        accept: tuple[str, ...] = (),
        follow: bool = False,
        large: bool = False,
    ) -> FetchedBody | None:
        if address in self.listing.fatal:
            raise fatal_error()
        delay = self._robots.delay
        wanted = [value for value in (self._options.per_second, 1 / delay if delay else None) if value]
        return self._fetcher.get_if_changed(
            address,
            self._known.get(address, _NOTHING),
            accept=accept or self._accepted,
            max_bytes=sitemaps.MAX_BYTES if large else None,
            per_second=min(wanted, default=None),
            follow=follow,
        )

    def _read_sitemaps(self) -> Iterator[None]:
        """Queue the pages that the sitemaps list."""
        listed: dict[str, None] = {}
        reasons = Counter[str]()
        for entries in SitemapWalk(self._get_sitemap, self._robots.sitemaps, self._scope.origin, reasons):
            for entry in entries:
                listed.update(dict.fromkeys(self._note_entry(entry)))
            yield None
        self.listing = replace(self.listing, listed=tuple(listed), reasons=reasons)

    def _get_sitemap(self, address: str) -> FetchedBody | None:
        return self._get(address, accept=(ANY_TYPE,), follow=True, large=True)

    def _note_entry(self, entry: sitemaps.Entry) -> Iterator[str]:
        """Queue a page of a sitemap and its translations, if it belongs to the website. Yield the addresses
        that were queued or visited."""
        address = normalised(entry.address, self._scope.origin)
        if not address or not self._scope.contains(address):
            return
        for url in (address, *entry.alternates):
            listed = normalised(url, address)
            self._push(listed, clicks=0)
            if listed in self._frontier:
                yield listed

    def _push_all(self, addresses: Iterable[str], clicks: int) -> None:
        for address in addresses:
            self._push(address, clicks=clicks)

    def _push(self, address: str, *, clicks: int) -> None:
        """Queue an address if it is known or wanted."""
        is_known = address in self._known
        if address and (is_known or self._is_wanted(address)):
            self._frontier.add(address, clicks=clicks, known=is_known)

    def _is_wanted(self, address: str) -> bool:
        """Return True if the address belongs to the website and may be a page or a readable document."""
        is_wanted = suffix_of(address) in self._documents or may_be_page(address)
        return self._scope.contains(address) and is_wanted

    def _probe(self) -> None:
        """Fetch a page that cannot exist: some websites answer with an error page and HTTP 200."""
        random = hashlib.sha256(self._scope.origin.encode()).hexdigest()[:16]
        address = f"{self._scope.origin}/auskunft-{random}"
        if not self._robots.allow(address):
            return
        try:
            fetched = self._get(address)
        except RedirectedError as error:
            self._lost_target = normalised(error.target)
        except (FetchError, SourceUnavailableError):
            return
        else:
            if fetched is not None and fetched.media_type in HTML:
                self._replies.lost = read_text(decoded(fetched.body, fetched.headers.get("content-type", "")))

    def _visit(self, address: str) -> tuple[Visit, list[str]]:
        if not self._scope.contains(address):
            return Absent(address=address, why=_OUTSIDE), []
        if not self._robots.allow(address):
            return Absent(address=address, why="robots.txt forbids it"), []
        try:
            with guarded(address):
                fetched = self._get(address)
        except SourceUnavailableError as error:
            return Unreachable(address=address, error=error), []
        except FetchError as error:
            return self._failed(address, error)
        except PageError as error:
            return Broken(address=address, error=error), []
        return self._read(address, fetched)

    def _failed(self, address: str, error: FetchError) -> tuple[Visit, list[str]]:
        if isinstance(error, RedirectedError):
            return self._redirected(address, error)
        return self._missing(address, error), []

    def _missing(self, address: str, error: FetchError) -> Visit:
        if isinstance(error, GoneError):
            return Absent(address=address, why="there is no page (HTTP 404 or 410)", is_gone=True)
        if error.reason == "unsupported":
            return Absent(address=address, why="not HTML, text or a supported document")
        if error.http_status in (401, 403) and address not in self._known:
            return Absent(address=address, why="not public (HTTP 401 or 403)", certain=False)
        return Broken(address=address, error=PageError(error.reason, str(error)))

    def _redirected(self, address: str, error: RedirectedError) -> tuple[Visit, list[str]]:
        target = normalised(error.target)
        if target == self._lost_target:
            return Absent(address=address, why="redirects to a page that does not exist"), []
        if target == address or not self._scope.contains(target):
            return Absent(address=address, why="redirects elsewhere", certain=error.permanent), []
        self._push(target, clicks=self._clicks + 1)
        if not error.permanent:
            return Absent(address=address, why="redirects", certain=False), [target]
        return Absent(address=address, why="redirects", moved_to=target), [target]

    def _read(self, address: str, fetched: FetchedBody | None) -> tuple[Visit, list[str]]:
        """Parse the reply from ``address``; return the outcome and the links."""
        try:
            with guarded(address):
                return self._understood(address, fetched)
        except PageError as error:
            return Broken(address=address, error=error), []

    def _understood(self, address: str, fetched: FetchedBody | None) -> tuple[Visit, list[str]]:
        if fetched is None:
            return Same(address=address), []
        for media_type in self._documents.values():
            if fetched.media_type == media_type:
                return self._replies.document(address, fetched, media_type), []
        source = decoded(fetched.body, fetched.headers.get("content-type", ""))
        if fetched.media_type in PLAIN:
            return self._replies.page(address, fetched, {PLAIN[fetched.media_type]: source}), []
        return self._read_html(address, fetched, source)

    def _read_html(self, address: str, fetched: FetchedBody, source: str) -> tuple[Visit, list[str]]:
        head = read_head(source, fetched.headers)
        base = normalised(head.base, address) or address
        links = [] if {"nofollow", "none"} & head.robots else head.links
        links = [normalised(link, base) for link in (*links, *(link for _, link in head.alternates))]
        if head.refresh:
            error = RedirectedError(address, normalised(head.refresh, base), permanent=False)
            visit, targets = self._redirected(address, error)
            return visit, links + targets
        text = read_text(source)
        if why := self._replies.refusal(head, text):
            return Absent(address=address, why=why, certain=why != SCRIPTED), links
        languages_of = {normalised(link, base): language for language, link in head.alternates}
        stated = text.language or languages_of.get(address, "") or fetched.headers.get("content-language", "")
        found = self._replies.html_page(address, fetched, source, text, stated)
        if not isinstance(found, Found):
            return found, links
        canonical = normalised(head.canonical, base) if head.canonical else address
        if canonical != address and self._scope.contains(canonical) and self._robots.allow(canonical):
            self._waiting.setdefault(canonical, []).append((found, text))
            return Absent(address=address, why=_WAITING, certain=False), links
        return self._seen.unique(found, text), links

    def _settled(self, visit: Visit, links: list[str]) -> Iterator[Visit]:
        """Queue the links of an address; yield its outcome, and that of pages that waited for it."""
        address = visit.address
        lead = self._push if self._follow else self._frontier.link
        distinct = dict.fromkeys(links)
        for link in distinct:
            lead(link, clicks=self._clicks + 1)
        ahead = tuple(filter(self._frontier.is_waiting, distinct))
        self._seen.visit(Step(address=address, clicks=self._clicks, links=ahead))
        if not (isinstance(visit, Absent) and visit.why == _WAITING):
            yield self._seen.record_outcome(visit)
        if address in self._waiting:  # a page that itself waits for another one is not found yet
            yield from self._resolve(address, is_page=isinstance(visit, Found | Same))
        for canonical in list(self._waiting):
            self._push(canonical, clicks=self._clicks + 1)
            self._frontier.move_to_front(canonical)
            if canonical in self._seen or canonical not in self._frontier:
                yield from self._resolve(canonical, is_page=self._seen.is_page(canonical))

    def _resolve(self, canonical: str, *, is_page: bool) -> Iterator[Visit]:
        """Yield the outcomes of the pages that name ``canonical`` as their canonical address."""
        for found, text in self._waiting.pop(canonical, ()):
            if is_page and self._seen.is_like(canonical, text):
                why = "its canonical address is another one"
                visit: Visit = Absent(address=found.address, why=why, moved_to=canonical)
            else:
                visit = self._seen.unique(found, text)
            yield self._seen.record_outcome(visit)
