"""What is wrong with an installation is told with a remedy."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.monitoring import backlog_line, broken_work, readiness, site_check
from app.monitoring.diagnosis import REMEDIES, diagnose
from app.services import Services
from app.settings.settings import Settings
from tests.app.api.cms import SECRET

WEBSITE = {"kind": "website", "address": "https://www.town.example/"}


@pytest.fixture
def found(site_settings: Settings) -> Any:
    """The findings with a name, of an installation with these sites that reads a website."""

    def found(name: str, *sites: dict[str, Any], **changed: Any) -> list[tuple[bool, str, str]]:
        given = site_settings.model_dump() | {"sites": list(sites), "sources": {"town": WEBSITE}} | changed
        with Services(Settings.model_validate(given)) as services:
            findings = diagnose(services)
        return [(each.ok, each.detail, remedy) for each, remedy in findings if each.name == name]

    return found


def test_a_site_that_is_not_for_the_website_it_searches_is_told(found: Any) -> None:
    [(ok, detail, remedy)] = found("widget", {"key": "town", "origins": ["https://www.town.example"]})
    assert not ok
    assert detail == 'site "town" searches pages of https://town.example, but these may not show its chat'
    assert "`origins`" in remedy
    assert found("widget", {"key": "town", "origins": ["https://town.example"]}) == []
    assert found("widget", {"key": "town", "origins": ["https://a.example"], "sources": ["other"]}) == []
    portal = ["https://town.example", "https://portal.example"]
    assert found("widget", {"key": "town", "origins": portal}) == []


def test_a_site_without_origins_is_told_unless_it_is_suspended(found: Any) -> None:
    bare = {"key": "town", "sources": ["other"]}
    [(ok, detail, _)] = found("widget", bare)
    assert ok
    assert detail == 'site "town" has no origins: no other website may show its chat'
    assert found("widget", bare | {"suspended": True}) == []


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"kind": "webseite"}, "unknown source 'webseite'; known: cms, eurlex, files, website"),
        ({"kind": "website"}, "source 'town': source 'website' cannot be used: option 'address' is missing"),
        ({**WEBSITE, "max_pages": "many"}, "option 'max_pages': input should be a valid integer"),
    ],
)
def test_a_source_that_no_pull_can_read_is_told(found: Any, table: dict[str, Any], complaint: str) -> None:
    [(ok, detail, remedy)] = found("sources", sources={"town": table})
    assert not ok
    assert complaint in detail
    assert "auskunft pull" in remedy


def test_sources_that_can_be_read_are_not_told(found: Any) -> None:
    sources = {"town": WEBSITE, "files": {"kind": "files"}, "cms": {"secrets": [SECRET]}}
    assert found("sources", sources=sources) == []


def test_a_site_whose_preset_is_unknown_is_told(found: Any) -> None:
    [(ok, detail, _)] = found("sites", {"key": "town", "preset": "nope"})
    assert not ok
    assert detail.startswith("site 'town': unknown preset 'nope'; known: ")


def test_no_pages_are_told(found: Any, tmp_path: Path) -> None:
    [(ok, _, _)] = found("pages")
    assert ok
    [(ok, _, remedy)] = found("pages", data=tmp_path)
    assert not ok
    assert "auskunft init" in remedy


def test_every_line_of_the_core_has_a_remedy() -> None:
    modules = (readiness, backlog_line, broken_work, site_check)
    source = "".join(Path(module.__file__ or "").read_text("utf-8") for module in modules)
    calls = re.findall(r'\b(?:run|run_optional|_reported|Check)\((?:name=)?"([a-z ]+)"', source)
    assert {"page store", "index", "rebuild"} <= {*calls}
    assert {*calls, site_check.NAME} <= REMEDIES.keys()
