"""``/api/admin/questions``: what visitors asked, and how it was answered."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.chat.conversations import Conversations
from app.pages.database import utc_now
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.fakes.databases import new_data

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
TOWN = "https://www.otterfurt.example"
SITES = [
    SiteSettings(key="town", origins=[TOWN], questions_per_minute=1_000),
    SiteSettings(key="harbour", questions_per_minute=1_000),
]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Two sites."""
    settings = load_settings(data=new_data(tmp_path), embedder="hashing", admin_token=TOKEN, sites=SITES)
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


def listed(client: FlaskClient, query: str = "") -> list[dict[str, Any]]:
    response = client.get(f"/api/admin/questions?{query}", headers=BEARER)
    assert response.status_code == 200, response.get_json()
    rows: list[dict[str, Any]] = response.get_json()["questions"]
    return rows


def test_a_visitors_last_word_on_an_answer_is_listed(client: FlaskClient, services: Services) -> None:
    answer = answered(services)
    for feedback in (
        {"rating": "down", "comment": "No: call 0171 2345678"},
        {"rating": "up", "comment": "Yes!"},
    ):
        response = client.post("/api/feedback?site=town", json={"answer": answer, **feedback})
        assert (response.status_code, response.data) == (204, b"")
    [row] = listed(client, "kind=rated")
    assert row.pop("asked_at").endswith("+00:00")
    assert row == {
        "id": answer,
        "site": "town",
        "language": "",
        "question": "When does the ferry leave?",
        "outcome": "answered",
        "status": "answered",
        "answer": "At nine.",
        "degraded": [],
        "sources": ["https://otterfurt.example/ferry"],
        "rating": "up",
        "comment": "Yes!",
    }


def test_questions_are_chosen(client: FlaskClient, services: Services) -> None:
    answered(services, "Lost otter?", "no_answer")
    answered(services, "Harbour dues?", "extractive", at="harbour")
    answered(services, "Is my mail a@otterfurt.example?")
    assert [row["question"] for row in listed(client)] == [
        "Is my mail [e-mail]?",
        "Harbour dues?",
        "Lost otter?",
    ]
    assert [row["outcome"] for row in listed(client, "kind=unanswered")] == ["unanswered"]
    assert [row["status"] for row in listed(client, "outcome=answered")] == ["answered", "extractive"]
    assert [row["question"] for row in listed(client, "text=DUES")] == ["Harbour dues?"]
    assert [row["site"] for row in listed(client, "site=harbour&kind=all")] == ["harbour"]
    assert listed(client, "cited=town/en/pool") == []
    today = utc_now().date().isoformat()
    assert len(listed(client, f"since={today}")) == 3
    assert len(listed(client, f"since={today}&until={today}")) == 3
    assert len(listed(client, "until=9999-12-31")) == 3
    assert listed(client, "since=2999-01-01") == listed(client, "until=2000-01-01") == []


def test_the_list_comes_in_pages(client: FlaskClient, services: Services) -> None:
    for number in range(3):
        answered(services, f"Question {number}?")
    seen, query = [], "limit=2"
    while query:
        page = client.get(f"/api/admin/questions?{query}", headers=BEARER).get_json()
        seen.append([row["question"] for row in page["questions"]])
        query = page["next"] and f"limit=2&after={page['next']}"
    assert seen == [["Question 2?", "Question 1?"], ["Question 0?"]]


def test_what_each_filter_would_find_is_counted(client: FlaskClient, services: Services) -> None:
    answered(services, "Lost otter?", "no_answer")
    answered(services, "Harbour dues?", at="harbour")
    response = client.get("/api/admin/questions/counts?site=town", headers=BEARER)
    assert response.get_json() == {
        "total": 1,
        "sites": {"town": 1, "harbour": 1},
        "outcomes": {"unanswered": 1},
        "languages": {"": 1},
        "ratings": {"none": 1},
    }


def test_questions_come_as_json_a_line_each(client: FlaskClient, services: Services) -> None:
    for number in range(2):
        answered(services, f"Question\n{number}?")
    response = client.get("/api/admin/questions?format=jsonl&limit=1", headers=BEARER)
    assert (response.status_code, response.mimetype) == (200, "application/jsonl")
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert [line["question"] for line in lines] == ["Question\n1?", "Question\n0?"]


def test_questions_come_as_a_table_without_formulas(client: FlaskClient, services: Services) -> None:
    answered(services, '=HYPERLINK("https://evil.example";"Otter, \n ü")')
    response = client.get("/api/admin/questions?format=csv", headers=BEARER)
    assert (response.status_code, response.mimetype) == (200, "text/csv")
    assert "attachment" in response.headers["Content-Disposition"]
    assert response.headers["Cache-Control"] == "no-store"
    [row] = list(csv.DictReader(io.StringIO(response.text, "")))
    assert row["question"] == '\'=HYPERLINK("https://evil.example";"Otter, \n ü")'
    assert row["sources"] == "https://otterfurt.example/ferry"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}])
def test_questions_need_the_token(client: FlaskClient, headers: dict[str, str]) -> None:
    refused = client.get("/api/admin/questions", headers=headers)
    assert (refused.status_code, refused.get_json()["code"]) == (401, "invalid_token")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("kind=some", 422),
        ("kind=", 422),
        ("format=xlsx", 422),
        ("since=yesterday", 422),
        ("since=2026-02-30", 422),
        ("since=20260101", 422),
        ("since=", 422),
        ("site=nobody", 400),
        ("site=", 400),
        ("site=%00", 422),
        ("limit=0", 422),
        ("limit=201", 422),
        ("after=x", 400),
        ("outcome=extractive", 422),
        ("rating=5", 422),
        ("language=german", 422),
        ("until=9999-13-01", 422),
        ("cited=pool", 422),
    ],
)
def test_a_wrong_choice_is_told(client: FlaskClient, query: str, status: int) -> None:
    refused = client.get(f"/api/admin/questions?{query}", headers=BEARER)
    assert (refused.status_code, refused.mimetype) == (status, "application/problem+json")
