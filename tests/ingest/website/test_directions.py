"""What a website says to programs beside its text: robots, languages, pauses; and what its table says."""

import gzip
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.errors import SourceError
from ingest.fetching.validators import Validators
from ingest.website.addresses import normalised
from ingest.website.robots import MAX_DELAY_SECONDS, READ_BYTES, Robots
from tests.fakes.website import Answer, FakeWebsite, made
from tests.ingest.website.conftest import crawled

LONG = "The town hall opens at nine o'clock and closes at five, but on Fridays at noon, and never on Sundays."


def tagged(web: FakeWebsite, path: str, tag: str) -> None:
    """Send the page at ``path`` with the header ``X-Robots-Tag``."""
    web.answers[path].headers["X-Robots-Tag"] = tag


@pytest.mark.parametrize(
    ("tag", "is_taken"),
    [
        ("noindex", False),
        ("NoIndex, nofollow", False),
        ("none", False),
        ("auskunft: noindex", False),
        ("googlebot: noindex", True),
        ("noarchive", True),
        ("", True),
    ],
)
def test_a_page_whose_header_forbids_it_is_not_taken(web: FakeWebsite, tag: str, is_taken: bool) -> None:
    tagged(web, "/a", tag)
    found = crawled(web)
    assert ("/a" in found.pages) == is_taken
    assert is_taken or found.absent["/a"] == "noindex"


@pytest.mark.parametrize("tag", ["nofollow", "none"])
def test_links_are_not_followed_where_the_header_forbids_it(web: FakeWebsite, tag: str) -> None:
    web.page("/a", "Page a is about something.", "/far")
    web.page("/far", "Far away.")
    assert "/far" in crawled(web).pages
    tagged(web, "/a", tag)
    assert "/far" not in crawled(web).pages


def test_pages_in_other_languages_are_found_and_have_the_language_that_links_give_them(
    web: FakeWebsite,
) -> None:
    alternates = (
        '<link rel=alternate hreflang=de-AT href="/de"><link rel=alternate hreflang=x-default href="/a">'
    )
    web.answers["/a"] = made("/a", "Page a is about something.", head=alternates)
    web.answers["/de"] = made("/de", "1 2 3", head=alternates, language="")
    pages = crawled(web).pages
    assert (pages["/a"].ref.language, pages["/de"].ref.language) == ("en", "de")


def test_pages_in_other_languages_are_found_in_a_sitemap(web: FakeWebsite) -> None:
    web.page("/de", "Seite a.")
    entry = f'<loc>{web.address}/a</loc><x:link rel="alternate" hreflang="de" href="{web.address}/de"/>'
    web.answers["/sitemap.xml"] = Answer(
        f'<urlset xmlns:x="http://www.w3.org/1999/xhtml"><url>{entry}</url></urlset>'.encode()
    )
    assert crawled(web).paths == ["/", "/a", "/de"]


@pytest.mark.parametrize(
    "lost",
    [
        made("Seite nicht gefunden", "Schade."),
        made("Town", f"Sorry, there is nothing here. {LONG}"),
        Answer(status=302, headers={"Location": "/a"}),
        Answer(status=301, headers={"Location": "/a"}),
    ],
    ids=["title", "text", "redirect", "moved"],
)
def test_an_error_page_with_status_200_is_no_page(web: FakeWebsite, lost: Answer) -> None:
    web.page("/", "Welcome to the town.", "/a", "/b", "/gone")
    web.otherwise = lambda path: lost if path not in ("/robots.txt", "/sitemap.xml") else Answer(status=404)
    found = crawled(web)
    assert found.paths == ["/", "/a", "/b"]
    assert "/gone" in found.absent


def test_a_page_that_many_lost_addresses_lead_to_is_still_a_page(web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/a", "/gone")
    web.otherwise = lambda path: Answer(status=404 if "." in path else 302, headers={"Location": "/a"})
    assert crawled(web).paths == ["/", "/a"]


@pytest.mark.parametrize(("asked", "kept"), [("2", 2.0), ("0.5", 0.5), ("3600", 10.0), ("soon", 0.0)])
def test_the_pause_that_robots_ask_for_is_kept_up_to_ten_seconds(
    web: FakeWebsite, asked: str, kept: float
) -> None:
    web.answers["/robots.txt"] = Answer(f"User-agent: *\nCrawl-delay: {asked}\n".encode())
    waits = [wait for wait in crawled(web).waits if wait > 0.05]
    assert len(waits) == (4 if kept else 0)  # the sitemap, a page that is not there, and two pages
    assert all(kept - 0.5 <= wait <= 4 * kept for wait in waits)


def test_a_website_is_asked_no_faster_than_its_table_says(web: FakeWebsite) -> None:
    waits = [wait for wait in crawled(web, per_second=0.1).waits if wait > 5]
    assert len(waits) == 5


PATHS: Mapping[str, dict[str, Any]] = {
    "include": {"include": "/de/, /amt"},
    "exclude": {"exclude": "/en,/x"},
    "both": {"include": "/de/", "exclude": "/de/intern/"},
}


@pytest.mark.parametrize(
    ("case", "paths"),
    [
        ("include", ["/amt", "/de/a", "/de/intern/b"]),
        ("exclude", ["/", "/amt", "/de/a", "/de/intern/b"]),
        ("both", ["/de/a"]),
    ],
)
def test_only_pages_below_the_paths_that_are_given_are_taken(
    web: FakeWebsite, case: str, paths: list[str]
) -> None:
    pages = ("/de/a", "/de/intern/b", "/en/c", "/amt", "/x")
    web.page("/", "Welcome to the town.", *pages)
    for path in pages:
        web.page(path, f"This is page {path} of the town.")
    found = crawled(web, **PATHS[case])
    assert found.paths == paths
    assert not {"/en/c", "/x"} & {path for path, _ in web.requests}


def test_pages_that_are_excluded_later_are_gone(web: FakeWebsite) -> None:
    known = {path: Validators() for path in ("/", "/a", "/b")}
    assert crawled(web, known, exclude="/b").absent == {"/b": "outside the website"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"include": "de/"}, "option 'include': use paths that begin with /"),
        ({"exclude": "https://town.example/x"}, "option 'exclude': use paths"),
        ({"max_pages": 0}, "must be above 0"),
        ({"language": "german"}, "use an ISO 639-1 code"),
        ({"every": 3}, "unknown option 'every': use one of address, include"),
    ],
)
def test_wrong_options_are_named(web: FakeWebsite, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        crawled(web, **options)
    assert message in str(error.value)


def test_a_start_page_that_is_outside_of_its_own_paths_is_followed(web: FakeWebsite) -> None:
    web.page("/de/a", "Seite a.")
    web.redirect("/", "/start", 302)
    web.page("/start", "Choose a language.", "/de/a")
    assert crawled(web, include="/de/").paths == ["/de/a"]
    with pytest.raises(SourceError):
        crawled(web, start="/nothing")


MARKS = ["http://", "//", "[", "]", ":", "@", "?", "%", "..", "\\", "\ud800", "ß", "9" * 30]
ADDRESS = st.lists(st.sampled_from(MARKS) | st.text(max_size=4), max_size=8).map("".join)


@given(href=ADDRESS, base=ADDRESS)
@example(href="\ud800", base="http://town.example/")
def test_whatever_is_written_for_an_address_is_one_of_the_web_or_none(href: str, base: str) -> None:
    for address in (normalised(href, base), normalised(href, "http://town.example/a/")):
        assert address == "" or address.startswith(("http://", "https://"))


RULES = st.sampled_from(
    ["User-agent: *\n", "Disallow: ", "Crawl-delay: ", "Sitemap: ", "1e999", "nan", "-1", "9" * 5_000, "*$%"]
)


@given(text=st.lists(RULES | st.text(max_size=5), max_size=12).map("".join))
def test_whatever_a_robots_txt_says_it_is_rules_and_a_pause_that_ends(text: str) -> None:
    robots = Robots(text)
    assert isinstance(robots.allow("http://town.example/a%20b?c"), bool)
    assert not robots.delay > MAX_DELAY_SECONDS
    assert isinstance(robots.sitemaps, list)


def test_of_a_robots_txt_without_end_its_beginning_counts(web: FakeWebsite) -> None:
    rules = b"User-agent: *\nDisallow: /b\n#" + b"x" * READ_BYTES + b"\nDisallow: /a\n" + b"#" * 6_000_000
    web.answers["/robots.txt"] = Answer(rules, headers={"Content-Type": "text/plain"})
    assert crawled(web).paths == ["/", "/a"]


def test_a_packed_robots_txt_without_end_counts_as_far_as_it_is_read(web: FakeWebsite) -> None:
    rules = gzip.compress(b"User-agent: *\nDisallow: /b\n" + b"#" * 50_000_000)
    web.answers["/robots.txt"] = Answer(rules, headers={"Content-Encoding": "gzip"})
    assert crawled(web).paths == ["/", "/a"]
