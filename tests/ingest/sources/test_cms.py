"""The source ``cms``: what counts as a complete listing, and what becomes of each page."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from ingest import registry
from ingest.errors import PageError, PluginError, SourceError, SourceUnavailableError
from ingest.sources.cms import CmsSource
from ingest.types import ListingItem, PageRef
from tests.fakes.cms import FakeCms, Reply
from tests.ingest.fetching.conftest import fetcher


@pytest.fixture(params=["next", "page", "whole"])
def cms(request: pytest.FixtureRequest) -> Iterator[FakeCms]:
    """Seven pages, listed in each way."""
    with FakeCms(request.param) as cms:
        for number in range(7):
            cms.save(f"p{number}", f"Text {number}")
        yield cms


@pytest.fixture
def small() -> Iterator[FakeCms]:
    """One page, listed at once."""
    with FakeCms("whole") as cms:
        cms.save("a", "eins")
        yield cms


def source_of(cms: FakeCms, **options: object) -> CmsSource:
    return CmsSource(name="town", fetcher=fetcher(), **cms.options(**options))


def ref(page_id: str = "a", language: str = "de") -> PageRef:
    return PageRef(source="town", id=page_id, language=language)


def answer(cms: FakeCms, document: object, path: str = "/listing", **others: Any) -> None:
    cms.wrong[path] = Reply(body=json.dumps(document).encode(), **others)


def test_a_listing_is_read_to_its_end_whichever_way_it_is_paged(cms: FakeCms) -> None:
    listed = source_of(cms).listing()
    assert [item.ref for item in listed] == [ref(f"p{number}") for number in range(7)]
    assert listed[0] == ListingItem(
        ref=ref("p0"), revision=1, updated=datetime(2026, 11, 1, 0, 10, tzinfo=UTC)
    )


def test_only_what_was_updated_since_is_asked_for(cms: FakeCms) -> None:
    cms.save("p2", "new")
    cms.save("p5", "new")
    since = datetime(2026, 11, 1, 0, 20, tzinfo=UTC)
    assert [item.ref.id for item in source_of(cms).listing(since)] == ["p2", "p5"]
    assert source_of(cms).listing(datetime(2027, 1, 1, tzinfo=UTC)) == []


def test_an_item_of_a_listing_that_moves_on_meanwhile_counts_once(small: FakeCms) -> None:
    answer(small, {"items": [{"id": "a"}, {"id": "b"}], "next": "/listing?page=2"})
    answer(small, {"items": [{"id": "b"}, {"id": "c"}], "next": None}, "/listing?page=2")
    assert [item.ref.id for item in source_of(small, language="de").listing()] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ({"items": [], "next": None}, "lists no pages at all"),
        ([], "lists no pages at all"),
        ({"error": "database"}, "is not a listing: it must be"),
        ({"items": {"id": "a"}}, "is not a listing: it must be"),
        ("maintenance", "is not a listing: it must be"),
        (None, "is not a listing: it must be"),
        ({"items": ["a"], "next": None}, "item 1: not a JSON object"),
        ({"items": [{"id": "a", "language": "de"}, {}], "next": None}, "item 2: has no id"),
        ({"items": [{"id": "a"}], "next": None}, "item 1: language '': use a code"),
        (
            {"items": [{"id": "a", "language": "German"}], "next": None},
            "item 1: language 'German': use a code",
        ),
        ({"items": [{"id": "a", "language": 7}], "next": None}, "item 1: language '7': use a code"),
        ({"items": [{"id": "..", "language": "de"}], "next": None}, "item 1: id '..': cannot be part"),
        ({"items": [{"id": "a", "language": "de", "revision": "x"}], "next": None}, "item 1: revision is x"),
        (
            {"items": [{"id": "a", "language": "de", "revision": 2**63}], "next": None},
            "item 1: revision is 92",
        ),
        ({"items": [{"id": "a", "language": "de", "updated": "x"}], "next": None}, "item 1: updated 'x'"),
        (
            {"items": [{"id": "a", "language": "de"}], "next": None, "total": 2},
            "is not complete: 1 of 2 pages",
        ),
        ({"items": [{"id": "a", "language": "de"}], "next": "/listing"}, "its paging does not end"),
        (
            {"items": [{"id": "a", "language": "de"}], "next": "/listing?page=3"},
            "repeats pages that were already listed",
        ),
        ([{"id": "a", "language": "de"}], "repeats pages that were already listed"),
        ({"items": [{"id": "a", "language": "de"}], "next": "http://evil.example/"}, "to another server"),
        ({"items": [{"id": "a", "language": "de"}], "next": "//evil.example/"}, "to another server"),
        ({"items": [{"id": "a", "language": "de"}], "next": "http://["}, "to another server"),
        ({"items": [{"id": "a", "language": "de"}], "next": 2}, "to another server"),
    ],
)
def test_a_listing_that_is_wrong_empty_or_endless_is_no_listing(
    small: FakeCms, document: object, complaint: str
) -> None:
    answer(small, document)
    with pytest.raises(SourceError) as refusal:
        source_of(small).listing()
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Reply(body=b'{"items": [{"id": "a"'), "is not a listing: not JSON: "),
        (Reply(body=b"[" * 100_000), "is not a listing: not JSON: "),
        (Reply(body=b'["\xff"]'), "is not a listing: not UTF-8 at byte 2"),
        (Reply(body=b"<h1>Log in", headers={"Content-Type": "text/html"}), "application/json is read"),
        (Reply(status=404), "answers HTTP 404"),
        (Reply(status=401), "answers HTTP 401: check the token"),
        (Reply(body=b" " * 20_000_000), "bytes allowed"),
    ],
)
def test_a_listing_that_is_not_json_or_not_there_is_no_listing(
    small: FakeCms, reply: Reply, complaint: str
) -> None:
    small.wrong["/listing"] = reply
    with pytest.raises(SourceError, match=complaint):
        source_of(small).listing()


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(status=503), Reply(length=500)])
def test_a_listing_whose_second_part_fails_is_no_listing(reply: Reply) -> None:
    with FakeCms("next") as cms:
        for number in range(7):
            cms.save(f"p{number}", "x")
        cms.wrong["/listing?page=2"] = reply
        with pytest.raises(SourceUnavailableError):
            source_of(cms).listing()
        cms.wrong["/listing?page=2"] = Reply(body=b'{"items": []}')
        with pytest.raises(SourceError, match="does not say whether there is more"):
            source_of(cms).listing()


def test_a_page_comes_with_what_its_listing_says_where_it_does_not(small: FakeCms) -> None:
    updated = datetime(2026, 5, 1, tzinfo=UTC)
    listed = ListingItem(ref=ref(), revision=7, updated=updated, url="https://town.example/a")
    answer(small, {"text": "eins", "title": None}, "/pages/a")
    page = source_of(small).page(listed)
    assert page is not None
    assert (page.ref, page.document, page.url) == (ref(), "a", "https://town.example/a")
    assert (page.revision, page.updated, dict(page.metadata)) == (7, updated, {})
    own = {"url": "https://town.example/b", "revision": 8, "publish_until": "2026-12-31T00:00:00Z"}
    answer(small, {"text": "eins", "updated": "2026-06-01", **own}, "/pages/a")
    page = source_of(small).page(listed)
    assert page is not None
    assert (page.url, page.revision, page.updated) == (own["url"], 8, datetime(2026, 6, 1, tzinfo=UTC))
    assert page.publish_until == datetime(2026, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    "page_id", ["a b", "ä/ö?x=1#y", "100%", "../x", "{language}", "a;b&c", "a\\b", "日本"]
)
def test_any_id_arrives_as_it_is(small: FakeCms, page_id: str) -> None:
    small.save(page_id, "x", language="fr")
    page = source_of(small).page(ListingItem(ref=ref(page_id, "fr")))
    assert page is not None
    assert (page.ref, page.fields["content"].text) == (ref(page_id, "fr"), "x")


def test_a_page_that_is_not_there_is_none_and_one_that_cannot_be_read_now_is_unavailable(
    small: FakeCms,
) -> None:
    assert source_of(small).page(ListingItem(ref=ref("never"))) is None
    small.wrong["/pages/a"] = Reply(status=503)
    with pytest.raises(SourceUnavailableError):
        source_of(small).page(ListingItem(ref=ref()))


@pytest.mark.parametrize(
    ("reply", "reason", "complaint"),
    [
        (Reply(body=b"{"), "invalid", "not JSON"),
        (Reply(body=b"[]"), "invalid", "not a JSON object"),
        (Reply(body=b'{"id": "b"}'), "invalid", "the server sent page 'b' (de) instead of the one"),
        (Reply(body=b'{"language": "en"}'), "invalid", "the server sent page 'a' (en) instead of the one"),
        (Reply(body=b'{"title": 5}'), "invalid", "title is 5: must be text"),
        (Reply(body=b'{"url": "javascript:x"}'), "invalid", "url 'javascript:x': use an address"),
        (Reply(status=403), "invalid", "HTTP 403: check the token"),
        (Reply(headers={"Content-Type": "text/html"}), "unsupported", "application/json is read"),
        (Reply(body=b" " * 20_000_000), "too_large", "bytes allowed"),
    ],
)
def test_a_page_that_is_wrong_fails_alone(small: FakeCms, reply: Reply, reason: str, complaint: str) -> None:
    small.wrong["/pages/a"] = reply
    with pytest.raises(PageError) as failure:
        source_of(small).page(ListingItem(ref=ref()))
    assert failure.value.reason == reason
    assert complaint in str(failure.value)


def test_an_address_from_the_listing_is_checked_as_one_from_the_page_is(small: FakeCms) -> None:
    with pytest.raises(PageError, match="use an address with http"):
        source_of(small).page(ListingItem(ref=ref(), url="javascript:alert(1)"))


def test_every_request_carries_the_token(small: FakeCms) -> None:
    source = source_of(small, token="hush")
    list(source.documents())
    source.pages("a")
    assert small.tokens == {"Bearer hush"}


def test_a_document_is_a_page_in_all_its_languages(small: FakeCms) -> None:
    small.save("a", "one", language="en")
    source = source_of(small)
    assert list(source.documents()) == ["a"]
    pages = source.pages("a")
    assert pages is not None
    assert [page.ref.language for page in pages] == ["de", "en"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"listing_url": "ftp://cms.example/"}, "option 'listing_url': use an address with http"),
        (
            {"listing_url": "https://eva:hush@cms.example/"},
            "option 'listing_url': contains a name or password",
        ),
        ({"page_url": "https://cms.example/pages"}, "option 'page_url': use an address with {id}"),
        ({"page_url": "https://{id}.example/pages"}, "option 'page_url': use an address with {id}"),
        ({"page_url": "https://cms.example/{id}/{slug}"}, "option 'page_url': use an address with {id}"),
        ({"token": "hush hush"}, "option 'token': use only ASCII"),
        ({"token": "hush\n"}, "option 'token': use only ASCII"),
        ({"token": "hüsh"}, "option 'token': use only ASCII"),
        ({"pages": 3}, "unknown option 'pages'"),
    ],
)
def test_a_wrong_option_is_named_without_telling_secrets(options: dict[str, Any], complaint: str) -> None:
    good = {"listing_url": "https://cms.example/list", "page_url": "https://cms.example/{id}"}
    with pytest.raises(PluginError) as refusal:
        registry.create("sources", "cms", name="town", fetcher=fetcher(), **(good | options))
    assert complaint in str(refusal.value)
    assert "hush" not in str(refusal.value)
