"""``/api/admin/pages``: pages for editors."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.accounts.types import User
from app.api.page_documents import PageListDocument, PageReportDocument
from app.pages.types import Delivery
from app.services import Services
from app.settings.settings import Settings
from ingest.converters.process import ConverterProcess
from ingest.types import Delete, PageRef, RawPage, Save
from tests.app.site import PAGES, raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
POOL = "/town/pool/en"
REF = PageRef(source="town", id="pool", language="en")
QUESTION = "What does a day ticket for the outdoor pool cost?"


@pytest.fixture
def services(
    indexed_site: Path, site_settings: Settings, tmp_path: Path, converter: ConverterProcess
) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    changes = {"data": data, "admin_token": TOKEN}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        services.indexing.converter = converter
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def get(client: FlaskClient, path: str = "", **query: Any) -> TestResponse:
    return client.get(f"/api/admin/pages{path}", query_string=query, headers=BEARER)


def post(client: FlaskClient, path: str) -> TestResponse:
    return client.post(f"/api/admin/pages{path}", json={}, headers=BEARER)


def ids(answer: TestResponse) -> list[str]:
    assert answer.status_code == 200
    return [page["id"] for page in answer.get_json()["pages"]]


def work(services: Services) -> None:
    while services.store.pending():
        services.indexing.indexer.sync_pages()


def saved(page: RawPage, **changes: Any) -> Save:
    return Save(page=replace(page, **changes))


def build_anew(services: Services) -> None:
    services.indexing.rebuild_queue.request()
    while services.background.steps.run_once(lambda: False):
        pass


def found(services: Services) -> list[str]:
    retriever = services.chat.default.retriever
    hits = retriever.retrieve(QUESTION, sources=frozenset({"town"})).hits
    return [hit.page.ref.id for hit in hits]


def test_pages_are_found_by_words_of_title_address_and_id(client: FlaskClient) -> None:
    assert ids(get(client, q="outdoor")) == ["pool"]
    assert ids(get(client, q="POOL outdoor")) == ["pool"]
    assert ids(get(client, q="town.example/dog")) == ["dog-tax"]
    assert ids(get(client, q="dog-tax")) == ["dog-tax"]
    assert ids(get(client, q="outdoor nothing")) == []
    assert ids(get(client, q="%")) == ids(get(client, q="_")) == []


def test_letters_other_than_those_of_ascii_are_found_in_either_case(
    client: FlaskClient, services: Services
) -> None:
    services.store.accept([saved(raw_page("muell", "Übergröße und Müll", "Text.").page)])
    for words in ("übergröße", "Übergröße", "müll", "MÜLL"):
        assert ids(get(client, q=words)) == ["muell"]


def test_a_list_is_read_part_by_part_and_by_state(client: FlaskClient, services: Services) -> None:
    services.store.accept([saved(raw_page("new", "New", "Text.").page)])
    assert ids(get(client, state="pending")) == ["new"]
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 4}
    while True:
        answer = get(client, **query)
        jsonschema_rs.validate(PageListDocument.model_json_schema(), answer.get_json())
        seen += ids(answer)
        following = answer.get_json()["next"]
        if following is None:
            break
        query["after"] = following
    assert seen == sorted([*(page[0] for page in PAGES), "new"])


def test_a_page_tells_its_state_what_was_read_with_its_chunks_and_its_jobs(
    client: FlaskClient, services: Services
) -> None:
    delivery = Delivery(source="town", id="m1", digest="0" * 64)
    text = "\n\n".join(f"Section {number}. The pool has a slide of {number} metres." for number in range(200))
    services.deliveries.accept(delivery, [saved(raw_page("pool", "Pool", text).page)])
    work(services)
    document = get(client, POOL).get_json()
    jsonschema_rs.validate(PageReportDocument.model_json_schema(), document)
    assert (document["state"], document["version"]) == ("indexed", document["indexed_version"])
    content = document["read"]["fields"]["content"].encode()
    chunks = document["read"]["chunks"]
    assert len(chunks) > 1
    assert b"".join(content[chunk["start"] : chunk["end"]] for chunk in chunks) == content
    assert [job["status"] for job in document["jobs"]] == ["indexed"]
    assert document["last_event"] == document["jobs"][0]["accepted_at"]


def test_a_page_that_is_taken_out_is_found_by_no_search_from_then_on(
    client: FlaskClient, services: Services
) -> None:
    assert found(services)[0] == "pool"
    answer = post(client, f"{POOL}/take-out")
    assert (answer.status_code, answer.get_json()["taken_out"]) == (200, True)
    assert "pool" not in found(services)
    work(services)
    assert get(client, POOL).get_json()["state"] == "excluded"


def test_a_page_that_was_taken_out_stays_out_through_saves_and_rebuilds_and_comes_back(
    client: FlaskClient, services: Services
) -> None:
    post(client, f"{POOL}/take-out")
    services.store.accept([saved(raw_page("pool", "Pool", "A day ticket costs five euros.").page)])
    work(services)
    assert "pool" not in found(services)
    build_anew(services)
    assert "pool" not in found(services)
    assert services.indexing.index.pages([REF]) == []
    assert post(client, f"{POOL}/bring-back").get_json()["taken_out"] is False
    work(services)
    assert found(services)[0] == "pool"
    [page] = services.indexing.index.pages([REF])
    assert "five euros" in page.fields["content"]


def test_only_the_language_that_is_named_is_taken_out(client: FlaskClient, services: Services) -> None:
    german = replace(REF, language="de")
    services.store.accept([saved(raw_page("pool", "Freibad", "Eintritt vier Euro.").page, ref=german)])
    post(client, f"{POOL}/take-out")
    assert services.page_list.details(REF).excluded
    assert not services.page_list.details(german).excluded


def test_a_page_is_indexed_again_and_served_meanwhile(client: FlaskClient, services: Services) -> None:
    answer = post(client, f"{POOL}/reindex")
    assert (answer.status_code, answer.get_json()["state"]) == (200, "pending")
    assert found(services)[0] == "pool"
    work(services)
    assert get(client, POOL).get_json()["state"] == "indexed"


def test_a_page_whose_id_has_slashes_is_reached(client: FlaskClient, services: Services) -> None:
    ref = PageRef(source="town", id="de/a b/reindex", language="de")
    services.store.accept([saved(raw_page("x", "X", "Text.").page, ref=ref)])
    assert get(client, "/town/de/a%20b/reindex/de").get_json()["id"] == ref.id
    assert post(client, "/town/de/a%20b/reindex/de/reindex").get_json()["id"] == ref.id


@pytest.mark.parametrize(
    "path", ["/town/nowhere/en", "/town/pool/de", "/TOWN!/pool/en", "/town/pool/english"]
)
def test_a_page_that_is_not_there_is_not_found(client: FlaskClient, path: str) -> None:
    assert get(client, path).status_code == 404
    for action in ("reindex", "take-out", "bring-back"):
        assert post(client, f"{path}/{action}").status_code == 404


def test_a_deleted_page_can_be_read_about_and_not_changed(client: FlaskClient, services: Services) -> None:
    services.store.accept([Delete(source="town", id="pool")])
    assert get(client, POOL).get_json()["deleted"] is True
    for action in ("reindex", "take-out", "bring-back"):
        assert post(client, f"{POOL}/{action}").status_code == 404


@pytest.mark.parametrize(
    "query",
    [{"state": "lost"}, {"limit": 0}, {"limit": 10_000}, {"after": "x"}, {"q": "a" * 201}, {"more": 1}],
)
def test_a_list_that_cannot_be_given_is_refused(client: FlaskClient, query: dict[str, Any]) -> None:
    assert get(client, **query).status_code == 422


def test_nobody_else_reads_or_changes_pages(client: FlaskClient, services: Services) -> None:
    assert client.get("/api/admin/pages").status_code == 401
    assert client.get(f"/api/admin/pages{POOL}").status_code == 401
    assert client.post(f"/api/admin/pages{POOL}/take-out", json={}).status_code == 401
    form = client.post(f"/api/admin/pages{POOL}/take-out", data={"a": "b"}, headers=BEARER)
    assert form.status_code == 415
    assert not services.page_list.details(REF).excluded


def test_an_editor_of_another_source_finds_no_page_of_this_one(services: Services) -> None:
    client = create_app(services=services).test_client()
    key = services.users.add(User(name="ed", role="editor", sources=frozenset({"council"})))
    token = services.sessions.open(services.users.set_password(key, "vier grosse otter baden"))
    client.set_cookie("auskunft-console", token)
    ours = {"Sec-Fetch-Site": "same-origin"}
    assert client.get("/api/admin/pages").get_json() == {"pages": [], "next": None}
    assert client.get("/api/admin/pages?source=town").get_json()["pages"] == []
    assert client.get(f"/api/admin/pages{POOL}").status_code == 404
    for action in ("reindex", "take-out", "bring-back"):
        path = f"/api/admin/pages{POOL}/{action}"
        assert client.post(path, json={}, headers=ours).status_code == 404
    assert services.page_list.details(REF).record.state == "indexed"


def test_every_change_of_a_page_is_in_the_log_with_who_made_it(
    client: FlaskClient, services: Services
) -> None:
    for action in ("take-out", "bring-back", "reindex"):
        post(client, f"{POOL}/{action}")
    changes = get(client, POOL).get_json()["changes"]
    assert [change["action"] for change in changes] == ["page.reindex", "page.bring_back", "page.take_out"]
    assert {change["actor"] for change in changes} == {"admin token"}
