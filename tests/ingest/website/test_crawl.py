"""What a crawl makes of websites in trouble, and of those that mean ill."""

import gzip

import pytest

from ingest.errors import FetchError, SourceError, SourceUnavailableError
from ingest.sources.website import WebsiteSource
from ingest.website.addresses import Scope, normalised
from ingest.website.sitemaps import MAX_BYTES, read_sitemap
from ingest.website.visits import Begun
from tests.fakes.website import Answer, FakeWebsite
from tests.ingest.fetching.conftest import fetcher
from tests.ingest.website.conftest import crawled


def robots(web: FakeWebsite, text: str, status: int = 200) -> None:
    web.answers["/robots.txt"] = Answer(text.encode(), status)


def test_links_are_followed(web: FakeWebsite) -> None:
    assert crawled(web).paths == ["/", "/a", "/b"]


def test_what_robots_forbid_is_not_asked_for(web: FakeWebsite) -> None:
    robots(web, "User-agent: auskunft\nDisallow: /a\n")
    assert crawled(web).paths == ["/", "/b"]
    assert "/a" not in dict(web.requests)
    robots(web, "User-agent: *\nDisallow: /\n")
    with pytest.raises(SourceError, match=r"robots\.txt forbids"):
        crawled(web)


def test_robots_that_fail_stop_the_crawl_and_missing_ones_allow_everything(web: FakeWebsite) -> None:
    robots(web, "", 403)
    assert crawled(web).paths == ["/", "/a", "/b"]
    robots(web, "", 500)
    with pytest.raises(SourceUnavailableError, match="nothing may be fetched"):
        crawled(web)


def test_a_start_page_is_begun_after_robots_and_wherever_it_leads(web: FakeWebsite) -> None:
    web.redirect("/", "/a")
    source = WebsiteSource(name="town", fetcher=fetcher(), address=web.address)
    begun = [
        (visit.address.removeprefix(web.address), len(web.requests))
        for visit in source.crawl({}).visits()
        if isinstance(visit, Begun)
    ]
    assert begun[:2] == [("/", 1), ("/a", 2)]


def test_a_packed_sitemap_of_sitemaps_goes_before_links(web: FakeWebsite) -> None:
    web.answers["/sitemap.xml"] = Answer(
        f"<sitemapindex><sitemap><loc>{web.address}/one.xml.gz</loc></sitemap></sitemapindex>".encode()
    )
    listed = f"<urlset><url><loc>{web.address}/b</loc><lastmod>2026-01-01</lastmod></url></urlset>"
    web.answers["/one.xml.gz"] = Answer(gzip.compress(listed.encode()))
    assert crawled(web).paths == ["/", "/b"]


def test_a_sitemap_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(FetchError, match="more than"):
        read_sitemap(gzip.compress(b" " * (MAX_BYTES + 1)), "sitemap")


def test_noindex_and_canonical_addresses_hold(web: FakeWebsite) -> None:
    web.page("/a", "Page a is about something.", head="<meta name=robots content=noindex>")
    web.page("/b", "Page b is about it all.", head="<link rel=canonical href=/c>")
    web.page("/c", "Page b is about it all.")
    assert crawled(web).paths == ["/", "/c"]


def test_loops_and_sessions_end(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/a?PHPSESSID=1", "/a?PHPSESSID=2", "/x", "/me")
    web.redirect("/x", "/y")
    web.redirect("/y", "/x")
    web.redirect("/me", "/me")
    assert crawled(web).paths == ["/", "/a"]
    assert len(web.requests) == len(set(web.requests))


@pytest.mark.parametrize("address", ["http://", "https://x y/", "http://[::1", "https://a%20b.example/"])
def test_an_address_without_a_host_that_exists_is_none(address: str) -> None:
    assert normalised(address) == ""


def test_addresses_have_one_spelling_and_calendars_an_end() -> None:
    assert normalised("HTTP://Town.example:80/%7ea;jsessionid=1?utm_source=x&b=%c3%a4#c") == (
        "http://town.example/~a?b=%C3%A4"
    )
    scope = Scope(origin="http://town.example", year=2026)
    assert scope.contains("http://town.example/2024/05/x")
    assert not scope.contains("http://town.example/2031/05/x")
    assert not scope.contains("http://town.example/a/a/a/a")
