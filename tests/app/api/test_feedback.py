"""Visitors say whether answers helped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app import create_app
from app.chat.conversations import Conversations
from app.pages.database import utc_now
from app.pages.question_tables import feedback
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.fakes.databases import new_data

TOWN = "https://www.otterfurt.example"
SITES = [
    SiteSettings(key="town", origins=[TOWN], questions_per_minute=1_000),
    SiteSettings(key="harbour", questions_per_minute=1_000),
]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Two sites."""
    settings = load_settings(data=new_data(tmp_path), embedder="hashing", sites=SITES)
    with Services(settings) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def answered(
    services: Services,
    question: str = "When does the ferry leave?",
    status: str = "answered",
    at: str = "town",
) -> str:
    kept = Conversations(services.engine, utc_now)
    begun = kept.begin(at, question)
    sources = [{"number": 1, "url": "https://otterfurt.example/ferry"}]
    kept.finish(begun.answer, {"answer": "At nine.", "status": status, "sources": sources, "citations": [1]})
    return begun.answer


def ratings(services: Services) -> list[tuple[str, str]]:
    with services.engine.connect() as connection:
        return [(row.rating, row.comment) for row in connection.execute(select(feedback))]


def test_a_visitors_last_word_on_an_answer_is_kept(client: FlaskClient, services: Services) -> None:
    answer = answered(services)
    for said in ({"rating": "down", "comment": "No."}, {"rating": "up", "comment": "Yes!"}):
        response = client.post("/api/feedback?site=town", json={"answer": answer, **said})
        assert (response.status_code, response.data) == (204, b"")
    assert ratings(services) == [("up", "Yes!")]


def test_a_comment_is_kept_without_what_tells_who_wrote_it(client: FlaskClient, services: Services) -> None:
    body = {"answer": answered(services), "rating": "down", "comment": "Call 0171 2345678"}
    assert client.post("/api/feedback?site=town", json=body).status_code == 204
    assert ratings(services) == [("down", "Call [tel.]")]


def test_only_the_sites_pages_give_feedback_on_its_answers(client: FlaskClient, services: Services) -> None:
    body = {"answer": answered(services), "rating": "up"}
    own = client.post("/api/feedback?site=town", json=body, headers={"Origin": TOWN})
    assert (own.status_code, own.headers["Access-Control-Allow-Origin"]) == (204, TOWN)
    for site, origin in (("town", "https://evil.example"), ("harbour", None), ("nobody", None)):
        headers = {"Origin": origin} if origin else {}
        refused = client.post(f"/api/feedback?site={site}", json=body, headers=headers)
        assert (refused.status_code, refused.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer": "unknown"}, 404),
        ({"answer": "' OR 1=1 --"}, 404),
        ({"answer": ""}, 422),
        ({"answer": None}, 422),
        ({"answer": 7}, 422),
        ({"answer": "x" * 65}, 422),
        ({"answer": "a\0b"}, 422),
        ({"answer": ["x"]}, 422),
        ({"rating": "UP"}, 422),
        ({"rating": ""}, 422),
        ({"rating": 1}, 422),
        ({"rating": True}, 422),
        ({"rating": None}, 422),
        ({"comment": "x" * 1_001}, 422),
        ({"comment": None}, 422),
        ({"comment": 7}, 422),
        ({"comment": {"text": "x"}}, 422),
        ({"comment": "a\0b"}, 422),
        ({"comment": "\ud800"}, 422),
        ({"site": "town"}, 422),
        ({"__class__": "x"}, 422),
    ],
)
def test_wrong_feedback_is_refused_and_not_kept(
    client: FlaskClient, services: Services, change: dict[str, Any], status: int
) -> None:
    body = {"answer": answered(services), "rating": "up", **change}
    refused = client.post("/api/feedback?site=town", json=body)
    assert (refused.status_code, refused.mimetype) == (status, "application/problem+json")
    assert ratings(services) == []


def test_what_is_no_json_is_refused(client: FlaskClient) -> None:
    url = "/api/feedback?site=town"
    assert client.post(url, data={"answer": "x", "rating": "up"}).status_code == 415
    for data in (b"", b"{", b"[]", b"null", b'{"answer": "x"}', b"[" * 50_000):
        refused = client.post(url, data=data, content_type="application/json")
        assert refused.status_code in (400, 411, 422), data
    assert client.get(url).status_code == 405
