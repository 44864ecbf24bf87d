"""The pages without a site in their address: whoever reaches the service gets one, or chooses."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from tests.app.web.browser import assert_inert, soup

TOWN = SiteSettings(key="town", name="Otterfurt", sources=["town"], origins=["https://www.town.example"])
SECRET = SiteSettings(key="staff", sources=["elsewhere"])
PAGES = ["/", "/chat", "/about"]
FORWARDED = {"Host": "chat.town.example", "X-Forwarded-For": "203.0.113.9"}
QUESTION = "How much is the dog tax?"

OpenClient = Any


@pytest.fixture
def open_client(site_settings: Settings) -> Iterator[OpenClient]:
    """Opens the installation with changed settings."""
    with ExitStack() as opened:

        def open_one(**changed: Any) -> FlaskClient:
            services = opened.enter_context(Services(site_settings.model_copy(update=changed)))
            return create_app(services=services).test_client()

        yield open_one


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "ask.town.example"])
def test_without_declared_sites_a_container_answers_whoever_reaches_it(
    open_client: OpenClient, host: str
) -> None:
    client, headers = open_client(host="0.0.0.0"), {"Host": host}
    for path in (*PAGES, "/api/site", f"/api/search?q={QUESTION}"):
        assert client.get(path, headers=headers).status_code == 200, path
    own = {**headers, "Origin": f"http://{host}"}
    assert "96 euros" in client.post("/api/chat", json={"question": QUESTION}, headers=own).text
    assert "96 euros" in client.post("/chat", data={"q": QUESTION}, headers=own).text
    page = soup(client.get("/chat", headers=headers))
    assert page.select_one("auskunft-chat[site=default]")


def test_without_declared_sites_pages_elsewhere_may_not_ask(open_client: OpenClient) -> None:
    client = open_client(host="0.0.0.0")
    headers = {"Host": "ask.town.example", "Origin": "https://evil.example"}
    for told in (
        client.get("/api/site", headers=headers),
        client.get(f"/api/search?q={QUESTION}", headers=headers),
        client.post("/api/chat", json={"question": QUESTION}, headers=headers),
        client.post("/chat", data={"q": QUESTION}, headers=headers),
    ):
        assert told.status_code == 404
        assert "96 euros" not in told.text


@pytest.mark.parametrize("changed", [{}, {"trusted_proxies": 1, "public_url": "https://chat.town.example"}])
def test_beside_declared_sites_there_is_none_that_searches_all(
    open_client: OpenClient, changed: dict[str, Any]
) -> None:
    """Also behind a proxy on the same machine, where the server listens on loopback."""
    client = open_client(host="127.0.0.1", sites=[SECRET], **changed)
    headers = FORWARDED if changed else {}
    for site in ("", "&site=default"):
        assert "96 euros" not in client.get(f"/api/search?q={QUESTION}{site}", headers=headers).text
        for path in (f"/api/chat?{site[1:]}", f"/chat?{site[1:]}"):
            json, form = ({"question": QUESTION}, None) if "api" in path else (None, {"q": QUESTION})
            assert "96 euros" not in client.post(path, json=json, data=form, headers=headers).text


@pytest.mark.parametrize("path", PAGES)
def test_the_only_site_needs_no_name(open_client: OpenClient, path: str) -> None:
    page = soup(open_client(sites=[TOWN, SECRET.model_copy(update={"suspended": True})]).get(path))
    assert page.select('[site="town"], [value="town"], a[href*="site=town"]')


@pytest.mark.parametrize("path", ["/?lang=en", "/chat?lang=de", "/about"])
def test_of_several_sites_a_visitor_chooses_one_and_goes_on(open_client: OpenClient, path: str) -> None:
    client = open_client(sites=[TOWN, SECRET])
    response = client.get(path)
    assert response.status_code == 200
    page = soup(response)
    assert_inert(page)
    links = {link.get_text(): str(link["href"]) for link in page.select("main a")}
    assert list(links) == ["Otterfurt", "staff"]
    chosen = client.get(links["Otterfurt"])
    assert chosen.status_code == 200
    assert soup(chosen).select('[site="town"], [value="town"], a[href*="site=town"]')


def test_where_all_sites_are_suspended_nobody_is_answered(open_client: OpenClient) -> None:
    client = open_client(sites=[TOWN.model_copy(update={"suspended": True})])
    assert [client.get(path).status_code for path in PAGES] == [404] * 3
