"""``POST /api/admin/draft``: what a text would answer if it were a page; nothing of it is kept."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from sqlalchemy import Table, func, select
from werkzeug.test import TestResponse

from app import create_app
from app.accounts.types import User
from app.features.explain.draft_document import DraftDocument
from app.pages.database import reading
from app.pages.tables import metadata
from app.search.types import QuerySpec
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from tests.fakes.web_server import web_server

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
SAUNA = "When is the sauna open on Sunday?"
DOG_TAX = "How much is the dog tax for the first dog?"
TEXT = "# Sauna\n\nThe sauna is open on Sunday from ten to eight.\n\n# Towels\n\nBring your own towels."
SITES = [SiteSettings(key="town", sources=["town"]), SiteSettings(key="law", sources=["law"])]


@pytest.fixture
def services(indexed_site: Path, site_settings: Settings, tmp_path: Path) -> Iterator[Services]:
    """An installation whose visitors asked one question that no page answers and one that a page does."""
    data = shutil.copytree(indexed_site, tmp_path / "data")
    changes = {"data": data, "sites": SITES, "admin_token": TOKEN, "conversion_seconds": 5}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        asked(services, SAUNA, "no_answer")
        asked(services, SAUNA.upper(), "no_answer")
        asked(services, DOG_TAX, "answered")
        asked(services, "Hello!", "greeting")
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def asked(services: Services, question: str, status: str, site: str = "town") -> None:
    conversations = services.chat.conversations
    begun = conversations.begin(site, question)
    document = {"answer": "Text.", "status": status, "sources": [], "citations": []}
    conversations.finish(begun.answer, document)


def ask(client: FlaskClient, **draft: Any) -> TestResponse:
    body = {"site": "town", "source": "town", "language": "en"} | draft
    return client.post("/api/admin/draft", json=body, headers=BEARER)


def rows(services: Services) -> dict[str, int]:
    def count(table: Table) -> int:
        with reading(services.engine) as connection:
            return int(connection.execute(select(func.count()).select_from(table)).scalar_one())

    return {name: count(table) for name, table in metadata.tables.items()}


def test_a_draft_says_which_unanswered_question_it_answers_and_with_which_block(client: FlaskClient) -> None:
    answer = ask(client, text=TEXT, title="Sauna")
    assert answer.status_code == 200, answer.get_json()
    document = answer.get_json()
    jsonschema_rs.validate(DraftDocument.model_json_schema(), document)
    [unanswered] = document["unanswered"]
    assert unanswered["question"].casefold() == SAUNA.casefold()
    assert (unanswered["answers"], unanswered["place"]) == (True, 1)
    assert "from ten to eight" in unanswered["block"]["text"]
    assert unanswered["similarity"]["content"] > 0
    assert unanswered["winner"] is None
    assert (document["answers"], document["left"]) == (1, 0)


def test_a_draft_does_not_beat_the_page_that_answers_and_a_better_one_does(client: FlaskClient) -> None:
    [answered] = ask(client, text=TEXT).get_json()["answered"]
    assert (answered["question"], answered["beats"]) == (DOG_TAX, False)
    assert answered["winner"]["id"] == "dog-tax"
    better = ask(client, text="How much is the dog tax for the first dog? 96 euros.", title=DOG_TAX)
    assert better.get_json()["beats"] == 1


def test_html_is_read_as_a_page_of_the_source_is(client: FlaskClient) -> None:
    html = "<html><body><main><h1>Sauna</h1><p>The sauna is open on Sunday.</p></main></body></html>"
    document = ask(client, html=html).get_json()
    assert document["fields"]["content"] == "# Sauna\n\nThe sauna is open on Sunday."
    assert document["unanswered"][0]["answers"]


def test_nothing_of_a_draft_is_stored_indexed_or_logged(
    client: FlaskClient, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = frozenset({"town"})
    retriever = services.chat.default.retriever
    before, found = rows(services), retriever.retrieve(SAUNA, sources=sources)
    files = {path for path in services.data.rglob("*") if path.is_file()}
    assert ask(client, text=f"{TEXT}\n\nquetzalcoatl").get_json()["answers"] == 1
    assert rows(services) == before
    assert retriever.retrieve(SAUNA, sources=sources) == found
    [known] = services.indexing.index.word_pages(QuerySpec(words=("quetzalcoatl",), sources=sources), 1)
    assert known.count == 0
    assert all(b"quetzalcoatl" not in path.read_bytes() for path in files if path.exists())
    out, err = capsys.readouterr()
    assert "quetzalcoatl" not in out + err


@pytest.mark.parametrize(
    ("draft", "status"),
    [
        ({}, 400),
        ({"text": "a", "html": "b"}, 400),
        ({"text": "x" * 10_000_000}, 413),
        ({"text": "  "}, 422),
        ({"text": "a", "source": "law"}, 404),
        ({"text": "a", "site": "nowhere"}, 404),
        ({"text": "a", "days": 0}, 422),
        ({"text": "a", "questions": 10_000}, 422),
        ({"text": "a", "language": "english"}, 422),
        ({"url": "https://other.example/page"}, 400),
        ({"url": "javascript:alert(1)"}, 400),
        ({"url": "file:///etc/passwd"}, 400),
        ({"url": "http://town.example@evil.example/"}, 400),
    ],
)
def test_a_draft_that_cannot_be_asked_is_refused_with_a_reason(
    client: FlaskClient, draft: dict[str, Any], status: int
) -> None:
    answer = ask(client, **draft)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")


def test_a_draft_nested_beyond_reason_is_converted_or_refused_in_time(client: FlaskClient) -> None:
    answer = ask(client, html="<div>" * 190_000 + "x")
    assert answer.status_code in (200, 422)


def test_a_preview_of_the_site_is_fetched_unless_its_address_is_internal(services: Services) -> None:
    page = b"<html><body><main><p>The sauna is open on Sunday.</p></main></body></html>"
    with web_server(200, page, {"Content-Type": "text/html; charset=utf-8"}) as url:
        sites = [SiteSettings(key="town", sources=["town"], origins=[url.rstrip("/")])]
        allowed = url.partition("//")[2].partition(":")[0]
        for fetch_allow, status in (([], 422), ([allowed], 200)):
            settings = services.settings.model_copy(update={"sites": sites, "fetch_allow": fetch_allow})
            with Services(settings) as guarded:
                answer = ask(create_app(services=guarded).test_client(), url=f"{url.rstrip('/')}/preview")
            assert answer.status_code == status, answer.get_json()
    assert answer.get_json()["fields"]["content"] == "The sauna is open on Sunday."


def test_an_editor_asks_drafts_of_their_own_site_alone(services: Services) -> None:
    client = create_app(services=services).test_client()
    key = services.users.add(User(name="ed", role="editor", sources=frozenset({"law"})))
    token = services.sessions.open(services.users.set_password(key, "vier grosse otter baden"))
    client.set_cookie("auskunft-console", token)
    body = {"site": "town", "source": "town", "text": TEXT}
    answer = client.post("/api/admin/draft", json=body, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status_code == 404
    assert client.post("/api/admin/draft", json=body).status_code == 403
