"""``POST /api/admin/trace``: the way of a question for editors and admins."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from pydantic import SecretStr
from werkzeug.test import TestResponse

from app import create_app
from app.accounts.types import User
from app.features.explain.trace_document import TraceDocument
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.types import PageRef, RawField, RawPage, Save

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
QUESTION = "How much is the dog tax for the first dog?"
SITES = [SiteSettings(key="town", sources=["town"]), SiteSettings(key="council", sources=["council"])]


@pytest.fixture
def services(indexed_site: Path, site_settings: Settings, tmp_path: Path) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    changes = {"data": data, "sites": SITES, "admin_token": TOKEN}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def ask(client: FlaskClient, **body: Any) -> TestResponse:
    return client.post("/api/admin/trace", json={"question": QUESTION} | body, headers=BEARER)


def test_a_trace_has_the_answer_and_every_step_and_is_as_openapi_says(client: FlaskClient) -> None:
    answer = ask(client, site="town", page={"id": "pool"}, texts="de")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    document = answer.get_json()
    jsonschema_rs.validate(TraceDocument.model_json_schema(), document)
    assert document["answer"]["status"] == "extractive"
    assert document["answer"]["html"]
    assert document["sources"] == ["town"]
    [search] = document["searches"]
    assert search["pages"][0]["id"] == "dog-tax"
    assert document["read"]["sources"][0]["tokens"] > 0
    parts = {each["step"]: [part["part"] for part in each["parts"]] for each in document["steps"]}
    assert "QuestionEmbedded" in parts["SearchPages"]
    assert "PlanContext" in parts
    assert document["why_not"]["page"] == {"source": "town", "id": "pool", "language": "en"}
    assert document["why_not"]["sentence"].startswith("Die Seite")


def test_a_page_is_named_by_reference_or_address(client: FlaskClient) -> None:
    for page in (
        {"source": "town", "id": "pool", "language": "en"},
        {"url": "https://town.example/pool"},
    ):
        assert ask(client, page=page).get_json()["why_not"]["page"]["id"] == "pool"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": ""}, 422),
        ({"question": "x" * 100_000}, 413),
        ({"question": "x" * 5_000}, 400),
        ({"question": "a\0b"}, 422),
        ({"site": "nowhere"}, 404),
        ({"preset": "nothing"}, 400),
        ({"source": "nothing"}, 400),
        ({"conversation": "nothing"}, 404),
        ({"page": {}}, 422),
        ({"page": {"id": "pool", "url": "https://town.example/pool"}}, 422),
        ({"page": {"id": "pool", "source": "town"}}, 422),
        ({"page": {"id": "pool", "source": "TOWN!", "language": "en"}}, 400),
        ({"page": {"id": "pool" * 500, "source": "town", "language": "en"}}, 400),
        ({"unknown": 1}, 422),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_reason(
    client: FlaskClient, body: dict[str, Any], status: int
) -> None:
    answer = ask(client, **body)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")


def test_only_who_is_known_may_ask(client: FlaskClient) -> None:
    assert client.post("/api/admin/trace", json={"question": QUESTION}).status_code == 401
    form = client.post("/api/admin/trace", data={"question": QUESTION}, headers=BEARER)
    assert form.status_code == 415


def test_an_editor_searches_their_own_sources_and_knows_no_others(services: Services) -> None:
    council = RawPage(
        ref=PageRef(source="council", id="plans", language="en"),
        document="plans",
        url="https://council.example/plans",
        fields={"content": RawField(text="Plans for dogs.", media_type="text/plain")},
    )
    services.store.accept([Save(page=council)])
    services.indexing.indexer.sync_pages()
    client = create_app(services=services).test_client()
    key = services.users.add(User(name="ed", role="editor", sources=frozenset({"council"})))
    token = services.sessions.open(services.users.set_password(key, "vier grosse otter baden"))
    client.set_cookie("auskunft-console", token)
    ours = {"Sec-Fetch-Site": "same-origin"}

    def post(**body: Any) -> TestResponse:
        return client.post("/api/admin/trace", json={"question": QUESTION} | body, headers=ours)

    assert post(site="town").status_code == 404
    own = post(page={"url": "https://town.example/dog-tax"})
    assert own.status_code == 200
    document = own.get_json()
    assert document["sources"] == ["council"]
    assert [page["id"] for page in document["searches"][0]["pages"]] == ["plans"]
    assert document["why_not"]["cause"] == "unknown"


def test_a_page_that_a_filter_leaves_out_is_explained_by_that(field_services: Services) -> None:
    settings = field_services.settings.model_copy(update={"admin_token": SecretStr(TOKEN)})
    with Services(settings) as services:
        client = create_app(services=services).test_client()
        body = {"question": "When is the form due?", "filters": {"office": "Registry"}}
        document = ask(client, **body, page={"id": "permit"}).get_json()
        assert document["why_not"]["cause"] == "filtered_out"
        assert "filter" in document["why_not"]["sentence"]
        [remedy] = document["why_not"]["remedies"]
        assert "without the filter" in remedy["sentence"]
