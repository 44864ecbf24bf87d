"""On this machine alone, a website whose name leads here is not answered."""

from collections.abc import Mapping

import pytest

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings

ADDRESSES = [
    "/",
    "/chat",
    "/healthz",
    "/metrics",
    "/api/search?q=dog",
    "/openapi.json",
    "/static/page.css",
    "/nothing",
]
OURS = [
    "localhost",
    "localhost:8000",
    "LOCALHOST.",
    "a.localhost",
    "127.0.0.1:8000",
    "127.8.9.1",
    "[::1]:8000",
]
FOREIGN = [
    "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
    "0.0.0.0", "[::2]", "evil.example@localhost:8000@", "[", "localhost evil", "xlocalhost", "\u00e4",
]  # fmt: skip


def status(settings: Settings, host: str, changed: Mapping[str, object] | None = None) -> int:
    """The status of a request for ``host``, with ``changed`` settings."""
    with Services(settings.model_copy(update=changed)) as services:
        client = create_app(services=services).test_client()
        with client.get("/healthz", headers={"Host": host}) as response:
            return response.status_code


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused_with_a_problem(site_services: Services, host: str) -> None:
    client = create_app(services=site_services).test_client()
    for url in ADDRESSES:
        response = client.get(url, headers={"Host": host})
        assert response.status_code == 421
        assert response.json is not None
        assert response.json["code"] == "misdirected_request"
        assert "AUSKUNFT_PUBLIC_URL" in response.json["detail"]
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", OURS)
def test_this_machines_own_names_are_answered(site_settings: Settings, host: str) -> None:
    assert status(site_settings, host) == 200


def test_a_request_without_host_comes_from_no_browser(site_settings: Settings) -> None:
    assert status(site_settings, "") == 200


def test_the_configured_names_are_answered(site_settings: Settings) -> None:
    site = SiteSettings(key="town", origins=["https://www.town.example"])
    changed: dict[str, object] = {"public_url": "https://chat.town.example:8443/", "sites": [site]}
    assert status(site_settings, "www.town.example", changed) == 200
    assert status(site_settings, "Chat.Town.Example:8443", changed) == 200
    assert status(site_settings, "town.example", changed) == 421


@pytest.mark.parametrize("changed", [{"host": "0.0.0.0"}, {"host": "::"}, {"trusted_proxies": 1}])
def test_behind_a_proxy_or_in_a_container_the_host_is_for_what_is_in_front(
    site_settings: Settings, changed: dict[str, object]
) -> None:
    assert status(site_settings, "ask.example.org", changed) == 200
