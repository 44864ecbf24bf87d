"""Websites that would keep a crawl for ever, or fill the memory."""

import gzip
import re
from datetime import UTC, datetime

import pytest

from ingest.errors import SourceError
from ingest.website.addresses import Scope
from ingest.website.frontier import MAX_CLICKS
from ingest.website.pages import MAX_ALTERNATES, MAX_LINKS, read_head
from ingest.website.sitemaps import MAX_BYTES, MAX_ENTRIES, read_sitemap
from tests.fakes.website import Answer, FakeWebsite, made
from tests.ingest.website.conftest import crawled

FEW = 60
"""More pages than a trap may be followed to in these tests, were it not for other limits."""

FEW_YEARS = 4


def trap(web: FakeWebsite, answer: object) -> None:
    """Let every address but those of programs answer as ``answer`` makes it."""

    def otherwise(path: str) -> Answer:
        if path in ("/robots.txt", "/sitemap.xml") or path.startswith("/auskunft-"):
            return Answer(status=404)
        return answer(path)  # type: ignore[operator,no-any-return]

    web.otherwise = otherwise


def number(path: str) -> int:
    return int(re.findall(r"\d+", path)[-1])


def visited(web: FakeWebsite, beginning: str) -> int:
    return sum(path.startswith(beginning) for path, _ in web.requests)


def test_of_100_000_links_no_more_are_visited_than_allowed(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", *(f"/page-{word:x}" for word in range(100_000)))
    trap(web, lambda path: made(path, f"This is {path}."))
    found = crawled(web, max_pages=20)
    assert len(found.pages) == 20
    assert found.crawl.left_out >= 1_000


def test_of_a_page_only_so_many_links_are_read() -> None:
    html = "".join(f'<a href="/page-{n:x}">x</a>' for n in range(100_000))
    assert len(read_head(html, {}).links) == MAX_LINKS


def test_of_a_page_not_all_translations_are_read() -> None:
    html = "".join(f'<link rel=alternate hreflang=x{n} href="/{n}">' for n in range(MAX_ALTERNATES + 1))
    assert len(read_head(html, {}).alternates) == MAX_ALTERNATES


def test_of_addresses_that_differ_in_numbers_alone_a_thousand_are_visited(
    web: FakeWebsite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.website.frontier.MAX_ALIKE", 30)
    web.page("/", "Welcome to the town.", "/a", *(f"/list?page={n}&from={2 * n}" for n in range(FEW)))
    trap(web, lambda path: made(path, f"This is {path}."))
    found = crawled(web)
    assert visited(web, "/list") == 30
    assert "/a" in found.pages
    assert found.crawl.left_out == FEW - 30


def test_a_calendar_is_not_followed_into_all_times(web: FakeWebsite) -> None:
    this_year = datetime.now(UTC).year
    web.page("/", "Welcome to the town.", f"/events/{this_year}/11", f"/month?year={this_year}")
    trap(
        web,
        lambda path: made(
            path, f"Events of {path}.", re.sub(r"(\d{4})", lambda year: str(int(year[0]) + 1), path)
        ),
    )
    assert len(crawled(web).pages) < FEW
    assert visited(web, "/events/20") <= 3
    years = [int(year) for path, _ in web.requests for year in re.findall(r"[/=](20\d\d)", path)]
    assert max(years) < this_year + FEW_YEARS


def test_links_are_followed_only_so_far_from_the_start(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/level/x")
    trap(web, lambda path: made(path, f"This is {path}.", f"{path}x"))
    crawled(web)
    assert visited(web, "/level") == MAX_CLICKS


def test_session_ids_are_left_out_and_unknown_ones_make_no_second_page(web: FakeWebsite) -> None:
    text = "The town hall opens at nine o'clock and closes at five, but on Fridays at noon; on Sundays never."
    count = iter(range(10_000))

    def page(path: str) -> Answer:
        name = path.partition("?")[0].partition(";")[0]
        links = [f"/hall?sid={next(count)}", f"/hall;jsessionid={next(count)}", f"/pool?xyz={next(count)}"]
        return made(name, f"{name}: {text}", *links)

    web.page("/", "Welcome to the town.", "/hall?PHPSESSID=1")
    trap(web, page)
    found = crawled(web, max_pages=FEW)
    assert visited(web, "/hall") == 1
    assert [path for path in found.pages if path.startswith("/pool")] == ["/pool?xyz=2"]


@pytest.mark.parametrize("status", [301, 302])
def test_redirects_that_lead_ever_on_end(web: FakeWebsite, status: int) -> None:
    web.page("/", "Welcome to the town.", "/on/1", "/b")
    trap(web, lambda path: Answer(status=status, headers={"Location": f"/on/{number(path) + 1}"}))
    assert crawled(web).paths == ["/", "/b"]
    assert visited(web, "/on") < FEW


def test_pages_that_refresh_to_ever_others_end(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/on/1", "/b")
    refresh = '<meta http-equiv="refresh" content="0; url=/on/{}">'
    trap(web, lambda path: made(path, f"This is {path}.", head=refresh.format(number(path) + 1)))
    assert crawled(web).paths == ["/", "/b"]
    assert visited(web, "/on") < FEW


def test_canonical_addresses_that_lead_ever_on_end(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/on/1", "/b")
    canonical = '<link rel="canonical" href="/on/{}">'
    trap(web, lambda path: made(path, f"This is {path}.", head=canonical.format(number(path) + 1)))
    found = crawled(web)
    assert visited(web, "/on") < FEW
    assert "/on/1" in found.pages


def test_canonical_addresses_count_among_the_pages(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", *(f"/from/{n}" for n in range(10)))
    trap(
        web,
        lambda path: made(path, f"This is {path}.", head=f"<link rel=canonical href=/to/{number(path)}>"),
    )
    crawled(web, max_pages=11)
    assert visited(web, "/from") + visited(web, "/to") == 10


def test_a_start_page_that_redirects_in_a_circle_is_told(web: FakeWebsite) -> None:
    web.redirect("/", "/x")
    web.redirect("/x", "/")
    with pytest.raises(SourceError, match="redirects more than 5 times"):
        crawled(web)


def test_a_sitemap_of_50_mb_gives_as_many_pages_as_a_sitemap_may_have() -> None:
    entry = b"<url><loc>http://town.example/page-%06d-" + b"x" * 40 + b"</loc></url>"
    body = b"<urlset>" + b"".join(entry % n for n in range(520_000)) + b"</urlset>"
    assert len(body) > 0.8 * MAX_BYTES
    assert len(read_sitemap(body, "sitemap").pages) == MAX_ENTRIES


def test_a_sitemap_that_is_too_large_is_passed_over_and_links_are_followed(web: FakeWebsite) -> None:
    web.answers["/robots.txt"] = Answer(f"Sitemap: {web.address}/big.xml\n".encode())
    web.answers["/big.xml"] = Answer(b"<urlset>" + b" " * MAX_BYTES)
    found = crawled(web)
    assert found.paths == ["/", "/a", "/b"]
    assert any("a sitemap cannot be read" in why and "52,428,800" in why for why in found.crawl.reasons)


def test_sitemaps_that_name_each_other_are_read_once_each(web: FakeWebsite) -> None:
    def index(path: str) -> Answer:
        names = ("sitemap.xml", f"s-{number(path) + 1}.xml")
        entries = "".join(f"<sitemap><loc>{web.address}/{name}</loc></sitemap>" for name in names)
        return Answer(f"<sitemapindex>{entries}</sitemapindex>".encode())

    web.answers["/sitemap.xml"] = index("/s-0")
    web.otherwise = lambda path: index(path) if path.startswith("/s-") else Answer(status=404)
    assert crawled(web).paths == ["/", "/a", "/b"]
    assert visited(web, "/sitemap.xml") == 1
    assert visited(web, "/s-") < 200


def test_entities_of_a_sitemap_are_not_expanded() -> None:
    lols = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = (
        f'<!DOCTYPE x [<!ENTITY l0 "ha">{lols}]><urlset><url><loc>http://t.example/&l9;</loc></url></urlset>'
    )
    assert all(len(page.address) < 100 for page in read_sitemap(body.encode(), "sitemap").pages)


def test_a_page_that_unpacks_without_end_is_refused_and_the_others_are_read(web: FakeWebsite) -> None:
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    web.answers["/a"] = Answer(gzip.compress(b"<p>" + b"a" * 20_000_000), headers=headers)
    found = crawled(web)
    assert found.paths == ["/", "/b"]
    assert "more than the 10,000,000 bytes" in found.broken["/a"]


def test_years_to_come_are_left_out_of_calendars_and_other_numbers_are_not() -> None:
    scope = Scope(origin="http://town.example", year=2026)
    inside = ["/2028/12", "/law-2031", "/room/2031/plan", "/2031.html", "/?id=2031", "/museum-1999/05"]
    outside = ["/2029/01", "/cal?month=2031-02", "/cal?year=2031", "/jahr/2031/"]
    assert [path for path in inside if not scope.contains(f"http://town.example{path}")] == []
    assert [path for path in outside if scope.contains(f"http://town.example{path}")] == []
