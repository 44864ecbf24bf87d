"""What an answer was made of is kept with it; asked again, the question tells what differs today."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.errors import NotFoundError
from app.features.questions.services import QuestionServices
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.converters.process import ConverterProcess
from ingest.types import Delete, Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
FERRY = "When does the ferry leave the harbour on weekdays?"
SITE = SiteSettings(key="port")


def save(services: Services, identifier: str, content: str) -> None:
    services.store.accept([Save(page=raw_page(identifier, {"content": content}))])
    services.indexing.indexer.sync_pages()


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = new_data(tmp_path_factory.mktemp("replayed"))
    with Services(load_settings(data=data, embedder="hashing")) as services:
        save(services, "ferry", "The ferry leaves the harbour at nine on weekdays.")
        save(services, "pool", "The outdoor pool opens in May.")
    return data


def opened(data: Path, **more: Any) -> Services:
    settings = {"embedder": "hashing", "admin_token": TOKEN, "sites": [SITE]} | more
    return Services(load_settings(data=data, **settings))


@pytest.fixture
def services(indexed: Path, tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    with opened(shutil.copytree(indexed, tmp_path / "data")) as services:
        services.indexing.converter = converter
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def ask(client: FlaskClient, question: str = FERRY) -> str:
    """Ask as a visitor does; returns the answer's id."""
    assert client.post("/api/chat?site=port", json={"question": question}).text
    listed = client.get("/api/admin/questions?limit=1", headers=BEARER).get_json()
    return str(listed["questions"][0]["id"])


def replayed(client: FlaskClient, answer: str) -> dict[str, Any]:
    response = client.post(f"/api/admin/questions/{answer}/replay", headers=BEARER)
    assert response.status_code == 200, response.get_json()
    document: dict[str, Any] = response.get_json()
    return document


def changes(differences: dict[str, Any]) -> list[tuple[str, str]]:
    return [(page["change"], page["id"]) for page in differences["pages"]]


def test_an_answer_is_kept_with_what_it_was_made_of(client: FlaskClient, services: Services) -> None:
    answer = ask(client)
    stored = client.get(f"/api/admin/questions/{answer}", headers=BEARER).get_json()
    assert (stored["question"], stored["site"]) == (FERRY, "port")
    assert stored["listed"][0]["id"] == "ferry"
    made = stored["provenance"]
    assert made["preset"]["name"] == services.preset.name
    assert (made["generation"], made["model"], made["prompt"], made["prompts"]) == (1, None, "", "")
    assert made["thresholds"]["base"] == services.preset.thresholds(services.indexing.embedder.recipe).base
    assert (made["asked"]["sources"], made["searched"]) == (["town"], FERRY)
    [page] = [page for page in made["pages"] if page["id"] == "ferry"]
    assert (page["number"], page["rank"], page["version"]["sequence"]) == (1, 1, 1)
    assert 0 < page["similarity"]["content"] <= 1
    assert page["score"] > 0


def test_asked_again_at_once_nothing_differs_and_nothing_is_stored(client: FlaskClient) -> None:
    answer = ask(client)
    before = client.get("/api/admin/questions/counts", headers=BEARER).get_json()
    document = replayed(client, answer)
    assert document["differences"] == {
        "text": False,
        "status": False,
        "degraded": False,
        "order": False,
        "pages": [],
        "setup": {},
    }
    assert client.get("/api/admin/questions/counts", headers=BEARER).get_json() == before


def test_after_an_edit_the_changed_page_is_named_with_both_versions(
    client: FlaskClient, services: Services
) -> None:
    answer = ask(client)
    save(services, "ferry", "The ferry leaves the harbour at ten on weekdays.")
    document = replayed(client, answer)
    assert document["differences"]["text"]
    assert "at ten" in document["answer"]["answer"]
    assert changes(document["differences"]) == [("changed", "ferry")]
    [page] = document["differences"]["pages"]
    assert page["before"]["sequence"] < page["now"]["sequence"]
    assert page["before"]["hash"] != page["now"]["hash"]
    assert page["read"]


def test_a_page_that_was_only_written_again_has_not_changed(client: FlaskClient, services: Services) -> None:
    answer = ask(client)
    services.indexing.rebuild_queue.request("town")
    while services.background.steps.run_once(lambda: False):
        pass
    assert replayed(client, answer)["differences"]["pages"] == []


def test_a_page_that_is_not_found_any_more_is_named_when_it_changed(
    client: FlaskClient, services: Services
) -> None:
    answer = ask(client)
    save(services, "ferry", "Entirely other words about nothing in particular.")
    [page] = [page for page in replayed(client, answer)["differences"]["pages"] if page["id"] == "ferry"]
    assert (page["change"], page["read"]) == ("changed", False)


def test_deleted_pages_are_gone_and_others_are_new(client: FlaskClient, services: Services) -> None:
    answer = ask(client)
    services.store.accept([Delete(source="town", id="ferry")])
    save(services, "boat", "The ferry leaves the harbour at noon on weekdays.")
    services.indexing.indexer.sync_pages()
    found = replayed(client, answer)["differences"]
    assert {("gone", "ferry"), ("new", "boat")} <= set(changes(found))
    [gone] = [page for page in found["pages"] if page["id"] == "ferry"]
    assert (gone["before"]["sequence"], gone["now"]) == (1, None)


def test_another_preset_and_other_thresholds_are_told(services: Services, client: FlaskClient) -> None:
    answer = ask(client)
    with opened(services.settings.data, preset="egocms") as others:
        found = others.feature(QuestionServices).replayer.ask(answer).differences
    assert [version["name"] for version in found.setup["preset"]] == [services.preset.name, "egocms"]


def test_an_answer_of_an_earlier_version_is_compared_by_its_text(
    client: FlaskClient, services: Services
) -> None:
    conversations = services.chat.conversations
    begun = conversations.begin("port", FERRY)
    document = {"answer": "At eight.", "status": "answered", "sources": [], "citations": []}
    conversations.finish(begun.answer, document)
    stored = client.get(f"/api/admin/questions/{begun.answer}", headers=BEARER).get_json()
    assert stored["provenance"] is None
    found = replayed(client, begun.answer)["differences"]
    assert (found["text"], found["pages"], found["setup"]) == (True, [], {})


def test_what_tells_who_asked_is_not_kept(client: FlaskClient) -> None:
    answer = ask(client, "When does the ferry leave the harbour? Call me: 0171 2345678")
    stored = client.get(f"/api/admin/questions/{answer}", headers=BEARER).get_json()
    assert "2345678" not in json.dumps(stored)


def test_an_editor_of_another_site_finds_no_such_question(client: FlaskClient, services: Services) -> None:
    answer = ask(client)
    with pytest.raises(NotFoundError):
        services.feature(QuestionServices).questions.stored(answer, sites=["other"])
    with pytest.raises(NotFoundError):
        services.feature(QuestionServices).replayer.ask(answer, sites=["other"])


def test_a_question_of_a_site_that_is_gone_cannot_be_asked_again(
    client: FlaskClient, services: Services
) -> None:
    answer = ask(client)
    with opened(services.settings.data, sites=[]) as others:
        refused = (
            create_app(services=others)
            .test_client()
            .post(f"/api/admin/questions/{answer}/replay", headers=BEARER)
        )
    assert (refused.status_code, refused.mimetype) == (409, "application/problem+json")


def test_unknown_questions_and_wrong_tokens_are_refused(client: FlaskClient) -> None:
    for method, path in (("get", ""), ("post", "/replay")):
        url = f"/api/admin/questions/unknown{path}"
        assert client.open(url, method=method, headers=BEARER).status_code == 404
        assert client.open(url, method=method).status_code == 401
