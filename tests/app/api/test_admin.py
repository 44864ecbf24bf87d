"""What administrators ask for by HTTP."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an installation with three pages, indexed."""
    data = new_data(tmp_path_factory.mktemp("indexed"))
    with Services(load_settings(data=data, embedder="hashing")) as services:
        services.store.accept([Save(page=raw_page(f"p{n}", {"content": f"page {n}"})) for n in range(3)])
        services.indexing.indexer.sync_pages()
    return data


@pytest.fixture
def services(indexed: Path, tmp_path: Path) -> Iterator[Services]:
    """A copy of that installation."""
    data = shutil.copytree(indexed, tmp_path / "data")
    with Services(load_settings(data=data, embedder="hashing", admin_token=TOKEN)) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def ask(client: FlaskClient, document: object = None) -> TestResponse:
    return client.post("/api/admin/reindex", json={} if document is None else document, headers=BEARER)


def work(services: Services) -> None:
    while services.background.steps.run_once(lambda: False):
        pass


def test_a_rebuild_is_asked_for_and_followed_to_its_end(client: FlaskClient, services: Services) -> None:
    asked = ask(client)
    assert asked.status_code == 202
    document: dict[str, Any] = asked.json or {}
    assert (document["state"], document["pages"], document["finished_at"]) == ("queued", 0, None)
    work(services)
    done = client.get(asked.headers["Location"], headers=BEARER).json or {}
    assert (done["state"], done["generation"], done["pages"], done["written"]) == ("done", 2, 3, 3)
    assert done["finished_at"] >= done["started_at"] >= done["requested_at"]
    listed = client.get("/api/admin/reindex", headers=BEARER).json
    assert listed == {"rebuilds": [done]}


def test_one_source_is_written_again(client: FlaskClient, services: Services) -> None:
    asked = ask(client, {"source": "town"})
    work(services)
    done = client.get(asked.headers["Location"], headers=BEARER).json or {}
    assert (done["state"], done["source"], done["generation"], done["written"]) == ("done", "town", None, 3)


def test_it_is_given_up(client: FlaskClient, services: Services) -> None:
    asked = ask(client)
    services.indexing.rebuild_queue.advance()
    answer = client.delete(asked.headers["Location"], headers=BEARER)
    assert (answer.status_code, (answer.json or {})["state"]) == (200, "cancelling")
    work(services)
    assert (client.get(asked.headers["Location"], headers=BEARER).json or {})["state"] == "cancelled"
    assert client.delete(asked.headers["Location"], headers=BEARER).status_code == 409


def test_a_second_one_is_refused_while_it_is_under_way(client: FlaskClient) -> None:
    first = ask(client).json or {}
    second = ask(client)
    assert (second.status_code, second.mimetype) == (409, "application/problem+json")
    assert first["id"] in (second.json or {})["detail"]


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"source": "nowhere"}, 400),
        ({"source": 1}, 422),
        ({"sources": ["town"]}, 422),
        ({"take_over": "yes"}, 422),
        ([], 422),
        ("text", 422),
    ],
)
def test_what_is_wrong_is_said(client: FlaskClient, document: object, status: int) -> None:
    answer = ask(client, document)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert client.get("/api/admin/reindex", headers=BEARER).json == {"rebuilds": []}


def test_a_body_that_is_not_declared_as_json_is_refused(client: FlaskClient) -> None:
    assert client.post("/api/admin/reindex", data="{}", headers=BEARER).status_code == 415


def test_an_unknown_rebuild_is_not_found(client: FlaskClient) -> None:
    assert client.get("/api/admin/reindex/../reindex/x", headers=BEARER).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer ä"},
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_nothing_is_told_or_done_without_the_token(
    client: FlaskClient, services: Services, method: str, headers: dict[str, str]
) -> None:
    path = "/api/admin/reindex/x" if method == "delete" else "/api/admin/reindex"
    answer = client.open(path, method=method, headers=headers, json={})
    assert (answer.status_code, answer.mimetype) == (401, "application/problem+json")
    assert services.indexing.rebuild_queue.all() == []


def test_without_a_token_in_the_settings_administration_is_off(tmp_path: Path) -> None:
    with Services(load_settings(data=tmp_path / "other", embedder="hashing")) as services:
        client = create_app(services=services).test_client()
        answer = client.get("/api/admin/reindex", headers={"Authorization": "Bearer "})
    assert answer.status_code == 403
    assert "AUSKUNFT_ADMIN_TOKEN" in (answer.json or {})["detail"]
