"""Sitemaps of whatever size, shape and number: what is read of them, and when that ends."""

import encodings
import pkgutil
from collections import Counter
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.errors import FetchError
from ingest.fetching.client import FetchedBody
from ingest.fetching.validators import Validators
from ingest.types import MAX_ID_CHARACTERS
from ingest.website.sitemap_walk import MAX_SECONDS, MAX_SITEMAPS, SitemapWalk
from ingest.website.sitemaps import MAX_ALTERNATES, Sitemap, read_sitemap

ORIGIN = "http://town.example"


class Sitemaps:
    """A website each of whose sitemaps names so many others, and a clock that each takes so long of."""

    def __init__(self, names: int, seconds: float = 0) -> None:
        self.asked: list[str] = []
        self.reasons = Counter[str]()
        self._names = names
        self._numbers = count()
        self.walk = SitemapWalk(
            self._fetch, [], ORIGIN, self.reasons, clock=lambda: len(self.asked) * seconds
        )

    def _fetch(self, address: str) -> FetchedBody:
        self.asked.append(address)
        names = (f"<sitemap><loc>/{next(self._numbers)}.xml</loc></sitemap>" for _ in range(self._names))
        body = f"<sitemapindex>{''.join(names)}</sitemapindex>".encode()
        return FetchedBody(url=address, body=body, media_type="text/xml", validators=Validators())


def read(body: str) -> Sitemap:
    return read_sitemap(body.encode(), "sitemap")


def test_sitemaps_that_name_thousands_of_others_are_read_up_to_a_limit() -> None:
    website = Sitemaps(names=2_000)
    assert list(website.walk) == [[]] * MAX_SITEMAPS
    assert len(set(website.asked)) == MAX_SITEMAPS


def test_sitemaps_that_take_too_long_are_left_out_with_a_reason() -> None:
    website = Sitemaps(names=10, seconds=MAX_SECONDS / 3)
    assert len(list(website.walk)) == 4
    [(why, number)] = website.reasons.items()
    assert "left out" in why
    assert number == 1 + 4 * 10 - 4


def test_addresses_too_long_for_a_page_are_dropped_while_they_are_read() -> None:
    long = f"{ORIGIN}/{'x' * MAX_ID_CHARACTERS}"
    entries = f"<url><loc>{long}</loc></url><url><loc> {ORIGIN}/a\n</loc></url>"
    assert [page.address for page in read(f"<urlset>{entries}</urlset>").pages] == [f"{ORIGIN}/a"]
    index = f"<sitemap><loc>{long}</loc></sitemap><sitemap><loc>{ORIGIN}/b</loc></sitemap>"
    assert read(f"<sitemapindex>{index}</sitemapindex>").sitemaps == [f"{ORIGIN}/b"]
    assert [page.address for page in read(f"{long}\n{ORIGIN}/c").pages] == [f"{ORIGIN}/c"]


def test_a_page_has_as_many_languages_as_there_may_be() -> None:
    links = f'<link href="{ORIGIN}/de"/>' * (MAX_ALTERNATES + 1)
    [page] = read(f"<urlset><url><loc>{ORIGIN}/a</loc>{links}</url></urlset>").pages
    assert len(page.alternates) == MAX_ALTERNATES


def test_the_address_of_a_picture_is_not_that_of_its_page() -> None:
    picture = f"<i:image><i:loc>{ORIGIN}/a.png</i:loc></i:image>"
    body = f'<urlset xmlns:i="i"><url>{picture}<loc>{ORIGIN}/a</loc>{picture}</url></urlset>'
    assert [page.address for page in read(body).pages] == [f"{ORIGIN}/a"]


TAGS = ("urlset", "url", "loc", "sitemap")
SIGNS = ("http://t/", "&amp;", "&x;", "&#xD800;", "<a/>", "]")
PIECES = st.sampled_from(
    [
        *(f"<{tag}>" for tag in TAGS),
        *(f"</{tag}>" for tag in TAGS),
        "http://t/",
        "&amp;",
        "&x;",
        "<a/>",
        "]",
        "&#xD800;",
    ]
)


@given(body=st.one_of(st.binary(), st.lists(PIECES, max_size=40).map("".join).map(str.encode)))
@example(body=b"\x1f\x8b")
@example(body=b"<urlset><url><loc>&#xD800;")
def test_whatever_comes_for_a_sitemap_is_read_or_refused(body: bytes) -> None:
    try:
        read_sitemap(body, "sitemap")
    except FetchError as error:
        assert str(error).startswith("sitemap ")


@pytest.mark.parametrize("charset", [module.name for module in pkgutil.iter_modules(encodings.__path__)])
def test_no_charset_breaks_a_sitemap(charset: str) -> None:
    entry = f"<url><loc>{ORIGIN}/a</loc></url>"
    body = f'<?xml version="1.0" encoding="{charset}"?><urlset>{entry}</urlset>'.encode() + b"\xe4"
    try:
        assert read_sitemap(body, "sitemap").sitemaps == []
    except FetchError as error:
        assert str(error) == "sitemap is not a sitemap"
