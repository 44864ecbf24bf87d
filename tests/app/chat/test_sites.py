"""Which website a request may ask for."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from app.chat.sites import Sites
from app.errors import NotFoundError, PageStoreUnavailableError, SettingsError
from app.pages.site_texts import UNCHANGED, SiteTextRecord
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings

TOWN = {"key": "town", "origins": ["https://www.town.example", "http://old.town.example:8080/"]}
OTHER = {"key": "other", "origins": ["https://other.example"]}


def sites(*tables: dict[str, Any], **settings: Any) -> Sites:
    return Sites(load_settings(sites=list(tables), **settings))


def finds(known: Sites, key: str | None, origin: str | None, asked: str = "") -> bool:
    """True if there is such a site for pages of ``origin``, for a request to the host ``asked``."""
    try:
        return known.find(key, origin, asked).key == (key or "default")
    except NotFoundError:
        return False


@pytest.mark.parametrize(
    "origin", [None, "https://www.town.example", "http://old.town.example:8080", "https://chat.example"]
)
def test_a_sites_pages_our_own_and_programs_may_ask(origin: str | None) -> None:
    assert finds(sites(TOWN, public_url="https://chat.example/"), "town", origin)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://other.example",
        "http://www.town.example",
        "https://town.example",
        "https://www.town.example:444",
        "https://www.town.example.evil.example",
        "https://evilwww.town.example",
        "https://www.town.example@evil.example",
        "https://www.town.example/",
        "HTTPS://WWW.TOWN.EXAMPLE",
        "https://wwW.town.example",
        "https://www.tоwn.example",
        "http://127.0.0.1:8000",
        "https://www.town.example https://other.example",
    ],
)
def test_other_websites_and_lookalikes_may_not(origin: str) -> None:
    assert not finds(sites(TOWN, OTHER), "town", origin)


@pytest.mark.parametrize("key", ["", "Town", "unknown", "town ", "other", "town\x00"])
def test_a_wrong_key_finds_nothing(key: str) -> None:
    assert not finds(sites(TOWN, OTHER), key, "https://www.town.example")


def test_a_suspended_site_is_as_unknown_as_one_that_there_is_not() -> None:
    known = sites({**TOWN, "suspended": True})
    with pytest.raises(NotFoundError) as suspended:
        known.find("town", None)
    with pytest.raises(NotFoundError) as unknown:
        known.find("nobody", None)
    assert str(suspended.value) == str(unknown.value).replace("nobody", "town")


HOSTS = ["127.0.0.1", "::1", "localhost", "0.0.0.0", "town.example"]


@pytest.mark.parametrize("proxies", [0, 1])
@pytest.mark.parametrize("host", HOSTS)
def test_without_tables_there_is_a_site_for_whoever_reaches_the_server(host: str, proxies: int) -> None:
    known = sites(host=host, trusted_proxies=proxies)
    assert [site.key for site in known.all()] == ["default"]
    assert finds(known, "default", None)
    assert finds(known, None, None)


@pytest.mark.parametrize("tables", [[TOWN], [TOWN, OTHER], [{**TOWN, "suspended": True}]])
@pytest.mark.parametrize("host", HOSTS)
def test_with_tables_there_is_no_other_site(host: str, tables: list[dict[str, Any]]) -> None:
    assert not finds(sites(*tables, host=host), "default", None)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("origin", "asked", "found"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("https://ask.example", "ask.example", True),
        ("http://[::1]:9", "[::1]:9", True),
        ("https://ask.example:8443", "ask.example", False),
        ("https://ask.example.evil.example", "ask.example", False),
        ("https://evil.example", "ask.example", False),
        ("ftp://ask.example", "ask.example", False),
        ("null", "ask.example", False),
        ("", "", False),
        ("http://", "", False),
    ],
)
def test_the_site_without_tables_is_for_pages_at_the_address_asked(
    host: str, origin: str, asked: str, found: bool
) -> None:
    assert finds(sites(host=host), "default", origin, asked) == found


@pytest.mark.parametrize("host", HOSTS)
def test_where_its_address_is_public_the_site_without_tables_is_for_its_pages_alone(host: str) -> None:
    known = sites(host=host, public_url="https://chat.example/")
    assert finds(known, "default", "https://chat.example", "127.0.0.1:8000")
    for origin in ("http://localhost:3000", "https://evil.example"):
        assert not finds(known, "default", origin, "127.0.0.1:8000")


@pytest.mark.parametrize(
    ("settings", "origin", "found"),
    [
        ({"host": "127.0.0.1"}, "http://localhost:3000", True),
        ({"host": "localhost"}, "http://[::1]:9", True),
        ({"host": "127.0.0.1"}, "http://127.0.0.1.evil.example", False),
        ({"host": "127.0.0.1"}, "http://localhost.evil.example:80", False),
        ({"host": "127.0.0.1"}, "file://localhost", False),
        ({"host": "127.0.0.1", "trusted_proxies": 1}, "http://localhost:3000", False),
        ({"host": "0.0.0.0"}, "http://localhost:3000", False),
    ],
)
def test_a_website_that_is_being_made_on_this_machine_may_ask_a_server_for_this_machine(
    settings: dict[str, Any], origin: str, found: bool
) -> None:
    assert finds(sites(**settings), "default", origin, "127.0.0.1:8000") == found


@pytest.mark.parametrize(
    ("settings", "origin", "found"),
    [
        ({"host": "127.0.0.1"}, "http://127.0.0.1:8000", True),
        ({"host": "127.0.0.1", "public_url": "https://chat.example"}, "http://127.0.0.1:8000", True),
        ({"host": "127.0.0.1"}, "http://localhost:8000", False),
        ({"host": "127.0.0.1"}, "http://127.0.0.1:3000", False),
        ({"host": "127.0.0.1", "trusted_proxies": 1}, "http://127.0.0.1:8000", False),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8000", False),
    ],
)
def test_on_this_machine_our_own_pages_may_ask_for_a_declared_site(
    settings: dict[str, Any], origin: str, found: bool
) -> None:
    assert finds(sites(TOWN, **settings), "town", origin, "127.0.0.1:8000") == found


@pytest.mark.parametrize("host", HOSTS)
def test_a_name_that_leads_here_makes_no_page_a_declared_sites(host: str) -> None:
    assert not finds(sites(TOWN, host=host), "town", "http://evil.example", "evil.example")


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        ([], "default"),
        ([TOWN], "town"),
        ([TOWN, {**OTHER, "suspended": True}], "town"),
        ([TOWN, {"key": "default"}], "default"),
    ],
)
def test_who_names_no_site_means_the_only_one_or_that_called_default(
    tables: list[dict[str, Any]], key: str
) -> None:
    assert sites(*tables).find(None, None).key == key


@pytest.mark.parametrize("tables", [[TOWN, OTHER], [{**TOWN, "suspended": True}]])
def test_of_several_sites_and_of_none_one_has_to_be_named(tables: list[dict[str, Any]]) -> None:
    with pytest.raises(NotFoundError):
        sites(*tables).find(None, None)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"key": ""}, "key"),
        ({"key": "a b"}, "key"),
        ({"key": "a", "origins": ["town.example"]}, "is not an origin: use https://www.town.example"),
        ({"key": "a", "origins": ["https://town.example/page"]}, "more than an origin"),
        ({"key": "a", "origins": ["https://u:p@town.example"]}, "is not an origin"),
        ({"key": "a", "origins": ["https://town.example:x"]}, "the port is not a number"),
        ({"key": "a", "origins": ["https://town.example:99999"]}, "not a number up to 65535"),
        ({"key": "a", "origins": ["https://[::1"]}, "a bracket is missing"),
        ({"key": "a", "origins": ["*"]}, "is not an origin"),
        ({"key": "a", "colour": "red"}, "unknown setting 'sites.0.colour'"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(table: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        sites(table)
    assert message in str(error.value)


def test_a_key_belongs_to_one_site() -> None:
    with pytest.raises(SettingsError, match="site 'town' appears twice"):
        sites(TOWN, TOWN)


INDEXES = {"sections": {"sources": ["acts"], "preset": "eurlex"}, "naive": {"sources": ["acts-naive"]}}


def test_a_site_with_indexes_searches_the_first_unless_another_is_chosen() -> None:
    site = SiteSettings.model_validate({"key": "law", "indexes": INDEXES})
    assert (site.sources, site.preset) == (["acts"], "eurlex")
    naive = site.with_index("naive")
    assert (naive.key, naive.sources, naive.preset) == ("law", ["acts-naive"], "")
    assert [each.sources for each in site.variants()] == [["acts"], ["acts-naive"]]
    assert SiteSettings.model_validate(site.model_dump()) == site


def test_a_site_without_indexes_has_one_variant() -> None:
    site = SiteSettings(key="town", sources=["town"])
    assert site.variants() == [site]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (
            {"sources": ["other"], "indexes": INDEXES},
            "cannot have sources or a preset: set them for each index",
        ),
        ({"preset": "rtr", "indexes": INDEXES}, "cannot have sources or a preset: set them for each index"),
        ({"indexes": {"naive": {"sources": []}}}, "sites.0.indexes.naive.sources"),
        ({"indexes": {"naive": {}}}, "sites.0.indexes.naive.sources"),
        ({"indexes": {"na ive": {"sources": ["a"]}}}, "sites.0.indexes.na ive"),
        ({"indexes": {"naive": {"sources": ["a"], "presets": "rtr"}}}, "did you mean 'preset'"),
        ({"indexes": {"naive": {"sources": ["a"], "label": "a\nb"}}}, "sites.0.indexes.naive.label"),
        ({"indexes": ["naive"]}, "sites.0.indexes"),
    ],
)
def test_wrong_indexes_are_refused_in_one_line(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        load_settings(sites=[{"key": "law", **table}])
    assert complaint in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


def test_while_the_page_store_is_away_the_texts_read_last_count_and_it_is_asked_once() -> None:
    answers: list[dict[str, SiteTextRecord] | Exception] = [
        {"town": replace(UNCHANGED, texts={"name": "Otterfurt", "unheard_of": 1})},
        PageStoreUnavailableError("away"),
    ]

    def changed() -> dict[str, SiteTextRecord]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    known = Sites(load_settings(sites=[TOWN, OTHER]), changed)
    assert [site.name for _ in range(3) for site in known.all()] == ["Otterfurt", ""] * 3
    assert known.declared("town").name == ""


@contextmanager
def between_lines(of: str, before: int, other: Callable[[], object]) -> Iterator[None]:
    """Do something else before a line of the function ``of``, as a thread that comes in between."""
    left, earlier = [before], sys.gettrace()

    def trace(frame: FrameType, event: str, _value: object) -> Any:
        if frame.f_code.co_name != of:
            return None
        left[0] -= event == "line"
        if not left[0]:
            sys.settrace(earlier)
            other()
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(earlier)


@pytest.mark.parametrize("line", range(1, 12))
def test_texts_that_two_requests_read_at_once_are_no_others_later(line: int) -> None:
    stored = {"town": replace(UNCHANGED, texts={"name": "Old"})}
    known = Sites(load_settings(sites=[TOWN]), stored.copy)

    def changed_and_changed_back() -> None:
        stored["town"] = replace(UNCHANGED, texts={"name": "New"})
        known.all()
        stored["town"] = replace(UNCHANGED, texts={"name": "Old"})

    with between_lines("_now", line, changed_and_changed_back):
        known.all()
    assert [site.name for site in known.all()] == ["Old"]
