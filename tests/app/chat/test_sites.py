"""Which website a request may ask for."""

from typing import Any

import pytest

from app.chat.sites import Sites
from app.errors import NotFoundError, SettingsError
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings

TOWN = {"key": "town", "origins": ["https://www.town.example", "http://old.town.example:8080/"]}
OTHER = {"key": "other", "origins": ["https://other.example"]}


def sites(*tables: dict[str, Any], **settings: Any) -> Sites:
    return Sites(load_settings(sites=list(tables), **settings))


def finds(known: Sites, key: str, origin: str | None) -> bool:
    try:
        return known.find(key, origin).key == key
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
    assert str(suspended.value) == str(unknown.value)


@pytest.mark.parametrize(
    ("host", "origin", "found"),
    [
        ("127.0.0.1", None, True),
        ("127.0.0.1", "http://127.0.0.1:8000", True),
        ("::1", "http://localhost", True),
        ("localhost", "http://[::1]:9", True),
        ("127.0.0.1", "http://127.0.0.1.evil.example", False),
        ("127.0.0.1", "http://localhost.evil.example:80", False),
        ("127.0.0.1", "http://evil.example", False),
        ("127.0.0.1", "file://localhost", False),
        ("0.0.0.0", None, False),
        ("town.example", None, False),
    ],
)
def test_without_settings_a_machine_has_a_site_for_itself_alone(
    host: str, origin: str | None, found: bool
) -> None:
    assert finds(sites(host=host), "default", origin) == found


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"key": ""}, "key"),
        ({"key": "a b"}, "key"),
        ({"key": "a", "origins": ["town.example"]}, "is no origin: give https://www.town.example"),
        ({"key": "a", "origins": ["https://town.example/page"]}, "more than an origin"),
        ({"key": "a", "origins": ["https://u:p@town.example"]}, "is no origin"),
        ({"key": "a", "origins": ["https://town.example:x"]}, "the port is no number"),
        ({"key": "a", "origins": ["*"]}, "is no origin"),
        ({"key": "a", "colour": "red"}, "unknown setting 'sites.0.colour'"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(table: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        sites(table)
    assert message in str(error.value)


def test_a_key_belongs_to_one_site() -> None:
    with pytest.raises(SettingsError, match="site 'town' is there twice"):
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
            "give sources and preset to each of them, not to the site",
        ),
        ({"preset": "rtr", "indexes": INDEXES}, "give sources and preset to each of them, not to the site"),
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
