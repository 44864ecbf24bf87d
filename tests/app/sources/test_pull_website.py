"""Pulling a website on schedule: what vanishes, what is only said to, and what too much of it needs."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from app.errors import (
    BlockedAddressError,
    ConflictError,
    NeedsAttentionError,
    SourceError,
    SourceUnavailableError,
)
from app.pages.database import open_engine
from app.pages.pulls import PullLog
from app.pages.store import PageStore
from app.settings.sources import SourceSettings
from app.sources.deletion_guard import DeletionGuard
from app.sources.pull import Puller
from app.sources.pull_result import PullResult
from app.sources.pull_website import ACCEPT_PAGES
from ingest.fetching.client import ANY_TYPE
from ingest.fetching.validators import Validators
from ingest.sources.website import WebsiteSource
from ingest.website.crawl import NO_TRAIL, Crawl
from ingest.website.visits import Trail, Visit
from tests.contracts.page_store.helpers import Clock
from tests.fakes.databases import new_sqlite
from tests.fakes.website import Answer, FakeWebsite
from tests.ingest.fetching.conftest import fetcher

TREES = ("apple", "birch", "cedar", "elder", "fig", "hazel", "ivy", "larch", "maple", "oak", "pine", "rowan")
NAMES = [f"/{tree}" for tree in TREES]


class Town:
    """An installation that pulls source ``town`` from a website, every hour."""

    def __init__(self, web: FakeWebsite, folder: Path) -> None:
        self.web = web
        self.clock = Clock()
        self.engine = open_engine(new_sqlite(folder / "pages.sqlite"))
        self.store = PageStore(self.engine, clock=self.clock)
        self.options: dict[str, Any] = {}
        self.puller = self.puller_of("worker")

    def puller_of(self, worker: str) -> Puller:
        """Another process's puller."""
        return Puller(
            store=self.store,
            pulls=PullLog(self.engine, self.clock),
            worker=worker,
            settings_by_source={"town": SourceSettings(kind="website", every=3_600)},
            source_of=lambda name: WebsiteSource(
                name=name, fetcher=fetcher(attempts=1), address=self.web.address, **self.options
            ),
            wake=lambda _pages: None,
            clock=self.clock,
        )

    def pull(self, **how: Any) -> PullResult:
        self.clock.advance(3_600)
        return self.puller.pull("town", **how)

    def paths(self) -> list[str]:
        """The pages that are there."""
        return sorted(ref.id.removeprefix(self.web.address) for ref in self.store.refs("town"))

    def lose(self, count: int) -> None:
        """Take pages off the website, and what leads to them."""
        left = NAMES[count:]
        self.web.page("/", f"Trees of the town: {', '.join(left)}.", *left)
        for path in NAMES[:count]:
            self.web.answers.pop(path, None)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """A website of a start page and twelve others, which are pulled."""
    with FakeWebsite() as web:
        town = Town(web, tmp_path)
        town.lose(0)
        for path in NAMES:
            web.page(path, f"All that is known of the {path.strip('/')} tree.")
        town.pull()
        yield town
        town.engine.dispose()


def test_a_website_is_pulled_when_its_hour_has_come(town: Town) -> None:
    assert town.puller.due() == []
    town.clock.advance(3_600)
    assert town.puller.due() == ["town"]
    town.web.page("/oak", "The oak was felled.")
    assert [ref.id for ref in town.puller.pull_scheduled("town").changed] == [f"{town.web.address}/oak"]
    assert town.puller.due() == []


def test_a_pull_that_was_interrupted_goes_on_at_once(town: Town) -> None:
    turns = iter([False, False, False])
    assert town.pull(stop=lambda: next(turns, True)).left > 0
    assert town.puller.due() == ["town"]
    assert len(town.paths()) == 13


def test_the_pages_that_an_interrupted_pull_did_not_reach_come_with_the_next(town: Town) -> None:
    town.web.page("/", "Trees of the town, and shrubs.", "/shrubs", *NAMES)
    town.web.page("/shrubs", "All shrubs of the town.", "/holly", "/privet")
    for path in ("/holly", "/privet"):
        town.web.page(path, f"All that is known of the {path.strip('/')} shrub.")
    town.pull(stop=lambda: "/shrubs" in dict(town.web.requests))
    assert "/holly" not in town.paths()
    town.pull()
    assert {"/shrubs", "/holly", "/privet"} <= {*town.paths()}


def test_few_pages_that_vanish_are_deleted_at_the_second_pull(town: Town) -> None:
    town.lose(2)
    assert town.pull().deleted == []
    assert [ref.id.removeprefix(town.web.address) for ref in town.pull().deleted] == NAMES[:2]
    assert len(town.paths()) == 11


def test_many_pages_that_vanish_stay_until_a_person_confirms_it(town: Town) -> None:
    town.lose(6)
    for _ in range(3):
        with pytest.raises(
            NeedsAttentionError, match=r"6 of 13 pages .* `auskunft pull town --confirm-deletions"
        ):
            town.pull()
    assert len(town.paths()) == 13
    assert len(town.pull(confirm_deletions=True).deleted) == 6
    assert len(town.paths()) == 7


def test_what_changed_is_taken_in_although_many_pages_vanished(town: Town) -> None:
    town.lose(6)
    town.web.page("/pine", "The pine has a new bench.")
    with pytest.raises(NeedsAttentionError):
        town.pull()
    [stored] = town.store.read([ref for ref in town.store.refs("town") if ref.id.endswith("/pine")])
    assert stored.page is not None
    assert "new bench" in stored.page.fields["content"].text


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<title>Page not found</title><p>Sorry."),
        Answer(status=302, headers={"Location": "/"}),
        Answer(b"<meta name=robots content=noindex><p>Maintenance."),
        Answer(status=410),
    ],
    ids=["soft 404", "to the start", "noindex", "gone"],
)
def test_a_website_that_answers_everything_with_the_same_empties_no_source(
    town: Town, answer: Answer
) -> None:
    town.lose(12)
    town.web.otherwise = lambda path: answer if path.count(".") == 0 else Answer(status=404)
    for _ in range(3):
        with pytest.raises(NeedsAttentionError, match="12 of 13 pages"):
            town.pull()
    assert len(town.paths()) == 13


def test_a_page_that_asks_for_a_password_or_fails_stays(town: Town) -> None:
    town.web.answers["/oak"] = Answer(status=401)
    town.web.answers["/fig"] = Answer(status=500)
    town.web.answers["/ivy"] = Answer(b"GIF89a", headers={"Content-Type": "text/html"}, status=418)
    for _ in range(3):
        town.pull()
    assert len(town.paths()) == 13


def test_an_outage_in_the_middle_of_a_crawl_deletes_nothing(town: Town) -> None:
    town.lose(1)
    town.pull()
    for path in NAMES[1:]:
        town.web.answers[path] = Answer(status=503)
    with pytest.raises(SourceUnavailableError, match="pages in a row could not be fetched"):
        town.pull()
    assert len(town.paths()) == 13


def test_pages_that_a_new_rule_excludes_need_a_confirmation_too(town: Town) -> None:
    town.options["include"] = "/p,/o"
    with pytest.raises(NeedsAttentionError, match="11 of 13"):
        town.pull()
    town.pull(confirm_deletions=True)
    town.pull(confirm_deletions=True)
    assert town.paths() == ["/oak", "/pine"]


def pulled_in_pieces(town: Town, pages: int = 1) -> PullResult:
    """Pull, stopped after every so many pages; the result of the last piece."""
    town.clock.advance(3_600)
    turns = count(1)
    while (result := town.puller.pull("town", stop=lambda: next(turns) % (pages + 1) == 0)).left:
        pass
    return result


def build_maze(web: FakeWebsite) -> None:
    """Build a website with all that makes a crawl look back at what it visited before."""
    web.answers["/robots.txt"] = Answer(b"Sitemap: /map.xml\n", headers={"Content-Type": "text/plain"})
    listed = "".join(
        f"<url><loc>{web.address}{path}</loc></url>" for path in ("/", "/old", "/copy", "/first")
    )
    web.answers["/map.xml"] = Answer(
        f"<urlset>{listed}</urlset>".encode(), headers={"Content-Type": "text/xml"}
    )
    text = " ".join(f"word{number}" for number in range(40))
    web.page("/", "The start.", "/print?p=1", "/away", "/lost", "/secret")
    web.redirect("/old", "/new")
    web.page("/new", "Where the old page is now.", "/deep")
    web.page("/deep", "Only the new page leads here.")
    web.page("/first", text)
    web.page("/copy", text)
    web.page("/print?p=1", "The page for printing.", head="<link rel=canonical href=/page>")
    web.page("/page", "The page for printing.")
    web.redirect("/away", "https://elsewhere.example/")
    web.page("/secret", "Not for all.", head="<meta name=robots content=noindex>")


@pytest.mark.parametrize("follow_links", [False, True])
def test_a_pull_in_many_pieces_comes_to_the_same_as_one(tmp_path: Path, follow_links: bool) -> None:
    found = []
    with FakeWebsite() as web:
        build_maze(web)
        for name in ("one", "many"):
            folder = tmp_path / name
            folder.mkdir()
            town = Town(web, folder)
            town.options["follow_links"] = follow_links
            web.requests.clear()
            result = town.pull() if name == "one" else pulled_in_pieces(town)
            asked = Counter(path for path, _ in web.requests)
            assert all(asked[path] == 1 for path in asked if path in ("/old", "/new", "/copy", "/map.xml"))
            again = [ref.id for ref in pulled_in_pieces(town).changed]
            found.append((town.paths(), result.listed, sorted(result.warnings), again))
            town.engine.dispose()
    assert found[0] == found[1]
    assert ("/deep" in found[0][0]) == follow_links


def test_pages_that_vanish_are_counted_once_for_all_pieces_of_a_pull(town: Town) -> None:
    town.lose(2)
    assert pulled_in_pieces(town).deleted == []
    assert len(town.paths()) == 13
    town.clock.advance(3_600)
    assert town.puller.pull("town", stop=lambda: True).left > 0
    assert len(town.paths()) == 13
    assert [ref.id.removeprefix(town.web.address) for ref in pulled_in_pieces(town).deleted] == NAMES[:2]


def test_what_could_not_be_read_in_an_earlier_piece_is_told_at_the_end(town: Town) -> None:
    town.web.answers["/birch"] = Answer(status=503)
    town.web.answers["/cedar"] = Answer(b"%PDF", headers={"Content-Type": "text/html"}, status=418)
    last = pulled_in_pieces(town)
    assert last.problem() == "1 pages could not be fetched, 1 pages cannot be read"
    pulls = PullLog(town.engine, town.clock)
    assert pulls.by_source()["town"].problem == last.problem()
    assert pulls.noted("town")[1] == []


def test_a_pull_whose_worker_died_goes_on_after_a_while_and_repeats_little(town: Town) -> None:
    more = [f"/shrub-{number}" for number in range(30)]
    town.web.page("/", "Trees of the town, and shrubs.", *NAMES, *more)
    for path in more:
        town.web.page(path, f"All that is known of {path}.")
    asked: list[str] = []

    def die(done: int, _total: int) -> None:
        if done == 2 * ACCEPT_PAGES:
            town.store.release("worker")
            town.web.requests.clear()
            assert town.puller.due() == []
            town.clock.advance(900)
            assert town.puller.due() == ["town"]
            town.puller_of("other").pull("town")
            asked.extend(path for path, _ in town.web.requests if path in (*NAMES, *more))

    with pytest.raises(ConflictError):
        town.pull(progress=die)
    assert len(town.paths()) == 43
    assert len(asked) == 43 - 2 * ACCEPT_PAGES


def test_a_person_who_confirms_deletions_has_the_whole_website_looked_at_again(town: Town) -> None:
    town.lose(6)
    town.clock.advance(3_600)
    town.puller.pull("town", stop=lambda: len(town.web.requests) % 9 == 0)
    assert len(town.pull(confirm_deletions=True).deleted) == 0
    assert len(town.pull(confirm_deletions=True).deleted) == 6


class BreakingCrawl(Crawl):
    """Breaks on something that nobody expected, after so many visits."""

    def visits(self) -> Iterator[Visit | None]:
        yield from islice(super().visits(), 6)
        raise ZeroDivisionError("a fault of ours")


class BreakingSource(WebsiteSource):
    """A website's source with such a crawl."""

    def crawl(self, known: Mapping[str, Validators], trail: Trail = NO_TRAIL) -> Crawl:
        return BreakingCrawl(self._fetcher, self._options, known, self._reader, trail)


def test_what_was_found_before_a_crawl_breaks_is_kept(tmp_path: Path) -> None:
    with FakeWebsite() as web:
        town = Town(web, tmp_path)
        town.lose(0)
        for path in NAMES:
            web.page(path, f"All that is known of the {path.strip('/')} tree.")
        source = BreakingSource(name="town", fetcher=fetcher(attempts=1), address=web.address)
        with pytest.raises(ZeroDivisionError):
            town.puller.pull_source(source, recipe="", guard=DeletionGuard(command=""))
        assert 0 < len(town.paths()) < 13
        [last] = PullLog(town.engine, town.clock).by_source().values()
        assert last.problem == "broke: ZeroDivisionError: a fault of ours"
        town.engine.dispose()


def test_a_pull_that_another_took_over_keeps_nothing_of_its_own(town: Town) -> None:
    oak = f"{town.web.address}/oak"

    def be_late(done: int, _total: int) -> None:
        if done == len(NAMES):
            town.web.page("/oak", "What another pull found of the oak tree.")
            town.clock.advance(1_000)
            assert [ref.id for ref in town.puller_of("other").pull("town").changed] == [oak]

    town.web.page("/oak", "What the first pull found of the oak tree.")
    with pytest.raises(ConflictError, match="taken over"):
        town.pull(progress=be_late)
    [stored] = town.store.read([ref for ref in town.store.refs("town") if ref.id == oak])
    assert stored.page is not None
    assert "another" in stored.page.fields["content"].text


def test_a_page_whose_charset_is_none_is_pulled_with_all_others(town: Town) -> None:
    html = "<html lang=de><title>Eiche</title><main>Die Eiche blüht.</main>"
    town.web.answers["/oak"] = Answer(
        html.encode("latin-1"), headers={"Content-Type": "text/html; charset=hex"}
    )
    assert [ref.id for ref in town.pull().changed] == [f"{town.web.address}/oak"]


@pytest.fixture
def intranet() -> Iterator[FakeWebsite]:
    """Another website on this machine, which the allow-list opens for another source."""
    with FakeWebsite() as intranet:
        intranet.page("/", "Salaries of the town.")
        yield intranet
        assert intranet.requests == []


def test_a_website_that_leads_to_a_server_allowed_to_others_is_not_followed(
    tmp_path: Path, intranet: FakeWebsite
) -> None:
    with FakeWebsite() as web:
        town = Town(web, tmp_path)
        web.redirect("/", f"{intranet.address}/")
        with pytest.raises(BlockedAddressError, match="only the server of its own address"):
            town.pull()
        assert town.paths() == []
        town.engine.dispose()


def test_sitemaps_and_rules_of_servers_allowed_to_others_are_not_asked_for(
    town: Town, intranet: FakeWebsite
) -> None:
    named = f"Sitemap: {intranet.address}/secret-endpoint?x=1\nSitemap: /sitemap.xml\n"
    town.web.answers["/robots.txt"] = Answer(named.encode(), headers={"Content-Type": "text/plain"})
    town.web.redirect("/sitemap.xml", f"{intranet.address}/sitemap.xml")
    assert len(town.pull().changed) == 0
    assert len(town.paths()) == 13
    town.web.redirect("/robots.txt", f"{intranet.address}/robots.txt")
    with pytest.raises(BlockedAddressError):
        town.pull()


def test_a_connection_that_another_source_opened_is_not_used(intranet: FakeWebsite) -> None:
    shared = fetcher()
    with FakeWebsite() as own:
        own.page("/", "own")
        own.redirect("/away", f"{own.address}/")
        assert shared.get(f"{own.address}/", accept=(ANY_TYPE,)).body
        other = shared.confined(f"{intranet.address}/")
        with pytest.raises(BlockedAddressError):
            other.get(f"{own.address}/", accept=(ANY_TYPE,))
        assert shared.confined(own.address).get(f"{own.address}/away", accept=(ANY_TYPE,)).body
    shared.close()


def test_a_website_whose_start_page_ended_two_workers_says_so(town: Town) -> None:
    log = PullLog(town.engine, town.clock)
    for _ in range(2):
        log.begin("town", "dead")
        log.renew("town", "dead", begun=f"{town.web.address}/")
        town.store.release("dead")
    with pytest.raises(
        SourceError, match=r"crashed the worker twice: .*`auskunft sources reset-revisions town"
    ):
        town.pull()
    assert len(town.paths()) == 13
