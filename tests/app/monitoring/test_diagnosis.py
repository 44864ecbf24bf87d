"""What is wrong with an installation is told with a remedy."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.monitoring import backlog_line, broken_work, readiness, site_check
from app.monitoring.diagnosis import REMEDIES, diagnose
from app.services import Services
from app.settings.settings import Settings

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
    assert detail == 'site "town" is not for pages of https://town.example, which it searches'
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
