"""What editors decide about answers by HTTP, and what visitors then get."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.errors import NotFoundError
from app.features.curation.services import CurationServices
from app.pages.audit import AuditLog
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.types import Save
from tests.app.console.conftest import OURS, Console
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
URL = "/api/admin/curation"
SITES = [
    SiteSettings(key="default", examples=["Where is the pool?", "Who is the mayor?"]),
    SiteSettings(key="lake", sources=["lake"]),
]
PAGES = [
    raw_page("pool", {"title": "Pool", "content": "The pool opens at nine. Adults pay five euros."}),
    raw_page("prices", {"title": "Prices", "content": "All prices of the town at a glance: see below."}),
    raw_page("trade", {"title": "Trade office", "content": "The trade office is in Mill Lane 4."}),
    raw_page("boats", {"title": "Boats", "content": "Boats cost ten euros an hour."}, source="lake"),
]
ASKED = "What does it cost to swim in the pool?"
ANSWER = {
    "site": "default",
    "kind": "answer",
    "content": {"phrasings": [ASKED], "text": "Nothing, **this summer**. [More](https://else.example/free)"},
}
PIN = {
    "site": "default",
    "kind": "pin",
    "content": {"phrasings": [ASKED], "page": {"source": "town", "id": "prices"}},
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = new_data(tmp_path_factory.mktemp("indexed"))
    with Services(load_settings(data=data, embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in PAGES])
        services.indexing.indexer.sync_pages()
    return data


@pytest.fixture
def open_services(indexed: Path, tmp_path: Path) -> Iterator[Callable[[], Services]]:
    """Opens an installation, as often as there are processes."""
    data = shutil.copytree(indexed, tmp_path / "data")
    opened: list[Services] = []

    def open_again() -> Services:
        settings = load_settings(data=data, embedder="hashing", admin_token=TOKEN, sites=SITES)
        opened.append(Services(settings))
        return opened[-1]

    yield open_again
    for services in opened:
        services.close()


@pytest.fixture
def services(open_services: Callable[[], Services]) -> Services:
    return open_services()


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def add(client: FlaskClient, document: object) -> TestResponse:
    return client.post(URL, json=document, headers=BEARER)


def added(client: FlaskClient, document: object) -> dict[str, Any]:
    response = add(client, document)
    assert response.status_code == 201, response.text
    entry: dict[str, Any] = response.json or {}
    return entry


def ask(client: FlaskClient, question: str, **query: str) -> dict[str, Any]:
    """The answer: what the events say, and its ``html``."""
    response = client.post("/api/chat", json={"question": question}, query_string=query)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = {"html": ""}
    for frame in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.splitlines() if not line.startswith(":"))
        if lines.get("event") == "block":
            answer["html"] += json.loads(lines["data"])["html"]
        elif lines:
            answer |= json.loads(lines["data"])
    return answer


def found(client: FlaskClient, question: str, **query: str) -> list[str]:
    response = client.get("/api/search", query_string={"q": question, **query})
    return [hit["id"] for hit in (response.json or {})["hits"]]


def test_a_fixed_answer_counts_at_once_in_every_process(
    client: FlaskClient, open_services: Callable[[], Services]
) -> None:
    other = create_app(services=open_services()).test_client()
    assert "curated" not in ask(other, ASKED)
    entry = added(client, ANSWER)
    for each in (client, other):
        answer = ask(each, ASKED)
        assert answer["curated"] == {"kind": "answer", "entries": [entry["number"]]}
        assert (answer["status"], answer["sources"], answer["model"]) == ("answered", [], None)
        assert "<strong>this summer</strong>" in answer["html"]
        assert 'href="https://else.example/free"' in answer["html"]
    assert client.delete(f"{URL}/{entry['number']}?version=1", headers=BEARER).status_code == 204
    assert "curated" not in ask(other, ASKED)


def test_other_words_of_the_same_question_get_the_fixed_answer(client: FlaskClient) -> None:
    added(client, ANSWER)
    assert ask(client, "what does it COST to swim in the pool")["curated"]["kind"] == "answer"
    assert ask(client, "So what does it cost to swim in the pool?")["curated"]["kind"] == "answer"
    assert "curated" not in ask(client, "When does the pool open?")


def test_the_stored_answer_says_that_editors_wrote_it(client: FlaskClient) -> None:
    added(client, ANSWER)
    asked = ask(client, ASKED)
    stored = client.get(f"/api/conversations/{asked['conversation']}").json or {}
    [answer] = stored["answers"]
    assert answer["curated"] == asked["curated"]
    assert answer["html"] == asked["html"]


def test_hostile_html_in_a_fixed_answer_is_text(client: FlaskClient) -> None:
    text = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> [click](javascript:alert(1)) "
        "[data](data:text/html,x) ![i](https://evil.example/i.png)"
    )
    entry = added(client, ANSWER | {"content": {"phrasings": [ASKED], "text": text}})
    for html in (entry["html"], ask(client, ASKED)["html"]):
        assert "<script" not in html
        assert "<img" not in html
        assert 'href="data:' not in html
        assert 'href="javascript:' not in html


def test_a_pinned_page_comes_first(client: FlaskClient) -> None:
    assert ask(client, ASKED)["sources"][0]["id"] == "pool"
    entry = added(client, PIN)
    answer = ask(client, ASKED)
    assert answer["sources"][0]["id"] == "prices"
    assert answer["curated"] == {"kind": "pin", "entries": [entry["number"]]}
    assert found(client, ASKED)[0] == "prices"
    assert found(client, "When does the pool open today?")[0] == "pool"


def test_a_pin_of_a_page_that_is_deleted_says_so_and_the_search_decides(
    client: FlaskClient, services: Services
) -> None:
    entry = added(client, PIN)
    services.store.exclude("town", "prices")
    services.indexing.indexer.sync_pages()
    assert (client.get(f"{URL}/{entry['number']}", headers=BEARER).json or {})["state"] == "page_missing"
    answer = ask(client, ASKED)
    assert answer["sources"][0]["id"] == "pool"
    assert "curated" not in answer


def test_a_synonym_finds_what_its_twin_finds_at_once(client: FlaskClient) -> None:
    twin = found(client, "Where is the trade office?")
    assert twin[0] == "trade"
    assert found(client, "Where is the TO?")[:1] != ["trade"]
    added(client, {"site": "default", "kind": "synonyms", "content": {"words": ["TO", "trade office"]}})
    assert found(client, "Where is the TO?") == found(client, "Where is the trade office?")
    assert found(client, "Where is the TO?")[0] == "trade"
    assert ask(client, "Where is the TO?")["sources"][0]["id"] == "trade"
    assert found(client, "TO")[0] == "trade"


def test_a_blocked_subject_is_declined_with_a_contact(client: FlaskClient) -> None:
    content = {
        "phrasings": ["Whom should I vote for?"],
        "text": "We give no advice on votes.",
        "contact": "votes@town.example",
    }
    added(client, {"site": "default", "kind": "blocked", "content": content})
    answer = ask(client, "whom should I vote for")
    assert (answer["status"], answer["curated"]["kind"]) == ("out_of_scope", "blocked")
    assert "We give no advice on votes." in answer["html"]
    assert 'href="mailto:votes@town.example"' in answer["html"]


def test_examples_of_editors_come_before_those_of_the_settings_or_replace_them(client: FlaskClient) -> None:
    def examples() -> list[str]:
        shown: list[str] = (client.get("/api/site").json or {})["examples"]
        return shown

    assert examples() == SITES[0].examples
    content: dict[str, Any] = {"text": "What does a passport cost?"}
    entry = added(client, {"site": "default", "kind": "example", "content": content})
    assert examples() == ["What does a passport cost?", *SITES[0].examples]
    change = {"version": 1, "content": content | {"replaces": True}}
    assert client.put(f"{URL}/{entry['number']}", json=change, headers=BEARER).status_code == 200
    assert examples() == ["What does a passport cost?"]


def test_an_entry_ends_after_its_last_day(
    client: FlaskClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = date.today().isoformat()
    entry = added(client, ANSWER | {"content": ANSWER["content"] | {"until": until}})  # type: ignore[operator]
    assert ask(client, ASKED)["curated"]["kind"] == "answer"
    site = services.chat.pipelines.of(services.chat.sites.find("default", None)).pages
    monkeypatch.setattr(site, "_today", lambda: date.today() + timedelta(days=1))
    desk = services.feature(CurationServices).desk
    monkeypatch.setattr(desk, "today", lambda: date.today() + timedelta(days=1))
    assert "curated" not in ask(client, ASKED)
    assert (client.get(f"{URL}/{entry['number']}", headers=BEARER).json or {})["state"] == "expired"


def test_what_is_paused_counts_for_no_question_and_needs_no_confirmation(
    client: FlaskClient, services: Services
) -> None:
    for number in range(12):
        services.chat.conversations.begin("default", f"{ASKED} {'!' * number}")
    entry = added(client, ANSWER | {"confirm": True})
    paused = ANSWER["content"] | {"paused": True}  # type: ignore[operator]
    change = {"version": 1, "content": paused}
    changed = client.put(f"{URL}/{entry['number']}", json=change, headers=BEARER)
    assert (changed.status_code, (changed.json or {})["state"]) == (200, "paused")
    assert "curated" not in ask(client, ASKED)
    again = {"version": 2, "content": ANSWER["content"]}
    refused = client.put(f"{URL}/{entry['number']}", json=again, headers=BEARER)
    assert (refused.json or {})["code"] == "broad_curation"


def test_of_two_who_change_one_entry_the_second_is_told_of_the_first(
    client: FlaskClient, services: Services
) -> None:
    entry = added(client, ANSWER)
    services.feature(CurationServices).desk.update(
        entry["number"], 1, services.feature(CurationServices).store.get(entry["number"]).content, "kim"
    )
    change = {"version": 1, "content": ANSWER["content"]}
    for response in (
        client.put(f"{URL}/{entry['number']}", json=change, headers=BEARER),
        client.delete(f"{URL}/{entry['number']}?version=1", headers=BEARER),
    ):
        assert response.status_code == 409
        assert (response.json or {})["code"] == "conflict"
        assert "kim changed this entry" in (response.json or {})["detail"]
    assert [each.actor for each in AuditLog(services.engine).entries()] == ["kim", "admin token"]


def test_a_preview_shows_what_would_be_caught_and_stores_nothing(client: FlaskClient) -> None:
    for question in (ASKED, ASKED, "what does it cost to swim in the pool!", "Who is the mayor?"):
        ask(client, question)
    preview = client.post(f"{URL}/preview", json=ANSWER, headers=BEARER).json or {}
    assert (preview["asked"], preview["count"], preview["is_broad"]) == (4, 3, False)
    assert [(each["question"], each["count"]) for each in preview["questions"]] == [
        (ASKED, 2),
        ("what does it cost to swim in the pool!", 1),
    ]
    assert "<strong>" in preview["html"]
    assert (client.get(URL, headers=BEARER).json or {})["entries"] == []


def test_what_would_catch_many_questions_has_to_be_confirmed(client: FlaskClient, services: Services) -> None:
    for number in range(12):
        services.chat.conversations.begin("default", f"{ASKED} {'!' * number}")
    refused = add(client, ANSWER)
    assert (refused.status_code, (refused.json or {})["code"]) == (409, "broad_curation")
    assert "12 of the last 12 questions (100%)" in (refused.json or {})["detail"]
    assert (client.get(URL, headers=BEARER).json or {})["entries"] == []
    added(client, ANSWER | {"confirm": True})


@pytest.mark.parametrize(
    ("document", "status", "detail"),
    [
        ({**PIN, "site": "lake"}, 400, "has no page 'prices' in source 'town'"),
        ({**PIN, "site": "nowhere"}, 404, "unknown site 'nowhere': use one of default, lake"),
        ({**PIN, "content": {**PIN["content"], "page": {"source": "town", "id": "x"}}}, 400, "no page 'x'"),  # type: ignore[dict-item]
        ({**ANSWER, "content": {"phrasings": [" "], "text": "x"}}, 400, "number 1 contains no word"),
        ({**ANSWER, "content": {"phrasings": ["x" * 10_000], "text": "x"}}, 422, "content.phrasings.0"),
        ({**ANSWER, "content": {"phrasings": ["x"], "text": "x" * 10_000}}, 422, "content.text"),
        (
            {**ANSWER, "content": {"phrasings": ["x"], "text": "x", "until": "2020-01-01"}},
            400,
            "is in the past",
        ),
        ({**ANSWER, "kind": "poem"}, 422, "kind"),
        ({**ANSWER, "content": {"phrasings": ["x"], "text": "\0"}}, 422, "content.text"),
        ({}, 422, "site"),
        ([], 422, ""),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_reason(
    client: FlaskClient, document: object, status: int, detail: str
) -> None:
    response = add(client, document)
    assert response.status_code == status, response.text
    assert detail in response.text
    assert (client.get(URL, headers=BEARER).json or {})["entries"] == []


def test_only_administrators_may(client: FlaskClient) -> None:
    for response in (
        client.get(URL),
        client.post(URL, json=ANSWER),
        client.post(f"{URL}/preview", json=ANSWER),
        client.get(f"{URL}/1"),
        client.put(f"{URL}/1", json={}),
        client.delete(f"{URL}/1?version=1"),
    ):
        assert response.status_code == 401
    assert client.post(URL, data={"a": "b"}, headers=BEARER).status_code == 415


def test_an_editor_sees_and_changes_their_own_sites_alone(services: Services) -> None:
    desk, content = services.feature(CurationServices).desk, {"words": ["boat", "ship"]}
    client = create_app(services=services).test_client()
    number = added(client, {"site": "lake", "kind": "synonyms", "content": content})["number"]
    other = added(client, {"site": "default", "kind": "synonyms", "content": content})["number"]
    assert [entry.number for entry, _ in desk.entries(sources=["lake"])] == [number]
    assert desk.get(number, sources=["lake", "town"])[0].number == number
    entry = desk.get(other)[0]
    for forbidden in (
        lambda: desk.get(other, sources=["lake"]),
        lambda: desk.get(number, sources=["town"]),
        lambda: desk.update(other, 1, entry.content, "kim", sources=["lake"]),
        lambda: desk.remove(other, 1, "kim", sources=["lake"]),
    ):
        with pytest.raises(NotFoundError, match="there is no entry"):
            forbidden()
    with pytest.raises(NotFoundError, match="unknown site 'default': use one of lake"):
        desk.add("default", "synonyms", entry.content, "kim", sources=["lake"])


def test_an_editor_who_is_logged_in_gets_404_for_another_s_site(services: Services) -> None:
    console = Console(services).log_in("ed", "lake")
    client, content = create_app(services=services).test_client(), {"words": ["boat", "ship"]}
    other = added(client, {"site": "default", "kind": "synonyms", "content": content})
    own = {"site": "lake", "kind": "synonyms", "content": content}
    answer = console.client.post(URL, json=own, headers=OURS)
    assert (answer.status_code, (answer.json or {})["changed_by"]) == (201, "ed")
    assert len((console.client.get(URL).json or {})["entries"]) == 1
    place, change = f"{URL}/{other['number']}", {"version": 1, "content": content}
    for response in (
        console.client.post(URL, json=own | {"site": "default"}, headers=OURS),
        console.client.post(f"{URL}/preview", json=own | {"site": "default"}, headers=OURS),
        console.client.get(f"{URL}?site=default"),
        console.client.get(place),
        console.client.put(place, json=change, headers=OURS),
        console.client.delete(f"{place}?version=1", headers=OURS),
    ):
        assert response.status_code == 404
    assert console.client.post(URL, json=own).status_code == 403  # from nobody's own page


def test_a_body_that_is_null_is_refused(client: FlaskClient) -> None:
    response = client.post(URL, data="null", headers=BEARER, content_type="application/json")
    assert (response.status_code, (response.json or {})["code"]) == (400, "invalid_input")
