"""``/docs``, and what other programs show of our pages: icon and picture."""

import re

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from tests.app.web.browser import assert_inert, soup


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_operation_of_the_api_is_on_the_page(client: FlaskClient, language: str) -> None:
    page = soup(client.get("/docs", query_string={"lang": language}))
    spec = client.get("/openapi.json").get_json()
    told = {tuple(each.get_text().split()) for each in page.select("code.path")}
    wanted = {
        (method.upper(), path)
        for path, methods in spec["paths"].items()
        for method in methods
        if method in ("get", "post", "put", "patch", "delete")
    }
    assert told == wanted
    assert page.html and page.html["lang"] == language
    assert not page.select("script")
    ids = [str(each["id"]) for each in page.select("[id]")]
    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for a in page.select(".contents a")} <= set(ids)
    assert_inert(page)


def test_parameters_and_fields_of_bodies_are_described(client: FlaskClient) -> None:
    page = soup(client.get("/docs", query_string={"lang": "en"}))
    search = page.select_one("[aria-labelledby=get-api-search]")
    chat = page.select_one("[aria-labelledby=post-api-chat]")
    assert search and chat
    assert re.search(r"q\s+string · required\s+the question", search.get_text())
    assert re.search(r"question\s+string · required", chat.get_text())


def test_an_operation_is_shown_with_what_is_sent_and_answered(client: FlaskClient) -> None:
    page = soup(client.get("/docs", query_string={"lang": "en"}))
    search = page.select("[aria-labelledby=get-api-search] pre")
    chat = page.select("[aria-labelledby=post-api-chat] pre")
    assert search[0].get_text() == "GET /api/search?q=Was+kostet+die+Hundesteuer%3F"
    assert '"rank": 1' in search[1].get_text()
    assert '"question": "Was kostet die Hundesteuer?"' in chat[0].get_text()
    assert chat[1].get_text().startswith("event: started\n")


def test_the_icon_is_where_browsers_look_for_it(client: FlaskClient) -> None:
    response = client.get("/favicon.ico")
    assert response.status_code == 200
    assert response.mimetype in ("image/x-icon", "image/vnd.microsoft.icon")


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_link_to_the_chat_is_shown_with_title_and_text(client: FlaskClient, language: str) -> None:
    page = soup(client.get("/chat", query_string={"lang": language}))
    told = {str(each["property"]): str(each["content"]) for each in page.select("meta[property]")}
    assert told["og:title"].endswith("Auskunft")
    assert told["og:description"]
    assert "og:image" not in told  # a request can claim any host


def test_the_picture_is_named_once_our_address_is_known(site_settings: Settings) -> None:
    settings = site_settings.model_copy(update={"public_url": "https://chat.town.example/"})
    with Services(settings) as services:
        client = create_app(services=services).test_client()
        told = client.get("/chat").text
        picture = client.get("/static/picture.png")
    assert 'property="og:image" content="https://chat.town.example/static/picture.png"' in told
    assert picture.data.startswith(b"\x89PNG")
    assert len(picture.data) < 30_000
