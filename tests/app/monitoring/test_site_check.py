"""The line of readiness about sites: who may ask, and which site would answer nobody."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from app import create_app
from app.monitoring.check import Check
from app.monitoring.readiness import checks
from app.monitoring.site_check import empty_sources
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings

TOWN = {"key": "town", "sources": ["town"], "origins": ["https://www.town.example"]}

OpenServices = Any


@pytest.fixture
def open_services(site_settings: Settings) -> Iterator[OpenServices]:
    """Opens the installation, in which source ``town`` alone has pages, with these sites."""
    with ExitStack() as opened:

        def open_one(*tables: dict[str, Any], **changed: Any) -> Services:
            given = site_settings.model_dump() | {"sites": list(tables)} | changed
            return opened.enter_context(Services(Settings.model_validate(given)))

        yield open_one


def line(services: Services) -> Check:
    [found] = [check for check in checks(services) if check.name == "sites"]
    return found


def test_it_says_who_may_ask_about_what(open_services: OpenServices) -> None:
    everybody = line(open_services())
    assert everybody.ok
    assert everybody.detail == "default: everybody who reaches the service may ask about all sources"
    two = line(open_services(TOWN, {"key": "all"}, {"key": "gone", "suspended": True}))
    assert two.ok
    assert two.detail == "town (https://www.town.example): sources town; all: all sources"


@pytest.mark.parametrize(
    ("tables", "detail"),
    [
        (
            [TOWN, {"key": "sea", "sources": ["sea"]}],
            'site "sea" searches source "sea", which has no pages; sources with pages: town',
        ),
        (
            [{"key": "sea", "sources": ["sea", "lake"]}],
            'site "sea" searches sources "sea", "lake", which have no pages; sources with pages: town',
        ),
        (
            [{"key": "sea", "indexes": {"a": {"sources": ["town"]}, "b": {"sources": ["lake"]}}}],
            'site "sea" searches source "lake", which has no pages; sources with pages: town',
        ),
        ([{**TOWN, "suspended": True}], "all declared sites are suspended: nobody can ask"),
    ],
)
def test_a_site_that_can_answer_nothing_is_bad_with_the_sources_that_there_are(
    open_services: OpenServices, tables: list[dict[str, Any]], detail: str
) -> None:
    check = line(open_services(*tables))
    assert (check.ok, check.required, check.detail) == (False, False, detail)


def test_the_server_is_ready_for_the_pages_that_such_a_site_lacks(open_services: OpenServices) -> None:
    services = open_services({"key": "sea", "sources": ["sea"]})
    answer = create_app(services=services).test_client().get("/readyz")
    [told] = [part for part in map(json.loads, answer.text.splitlines()) if part["name"] == "sites"]
    assert (answer.status_code, told["ok"]) == (200, False)


@pytest.mark.parametrize("header", [{"X-Forwarded-For": "203.0.113.9"}, {"Host": "ask.example"}])
def test_strangers_do_not_learn_which_sites_and_sources_there_are(
    open_services: OpenServices, header: dict[str, str]
) -> None:
    client = create_app(services=open_services(TOWN, {"key": "sea", "sources": ["sea"]})).test_client()
    assert all(name in client.get("/readyz").text for name in ("sea", "town"))
    told = client.get("/readyz", headers=header).text
    assert not any(name in told for name in ("sea", "town"))


def test_before_anything_is_indexed_it_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("fresh")
    settings = Settings.model_validate({"data": data, "embedder": "hashing", "sites": [TOWN]})
    with Services(settings) as services:
        assert line(services).detail.endswith("which has no pages; no source has any pages yet")


@pytest.mark.parametrize(
    ("sources", "empty"),
    [
        ([], []),
        (["town"], []),
        (["town", "events"], []),  # declared: its pages may come
        (["town", "twon"], ["twon"]),
        (["events"], ["events"]),
    ],
)
def test_beside_others_a_declared_source_may_be_empty(sources: list[str], empty: list[str]) -> None:
    site = SiteSettings(key="town", sources=sources)
    assert empty_sources(site, ["town"], {"events", "town"}) == empty
