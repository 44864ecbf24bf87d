"""Decisions of editors and filters of visitors: a page that editors pinned has to pass."""

from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.features.search_page import page_list
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import PageRef, Save
from tests.fakes.world import raw_page

ASKED = "What does it cost to swim in the pool?"
TOKEN = "an-administrator-token-of-tests"
PIN = {
    "site": "default",
    "kind": "pin",
    "content": {"phrasings": [ASKED], "page": {"source": "town", "id": "prices"}},
}
PAGES = (
    raw_page("pool", {"title": "Pool", "content": "The pool opens at nine. Adults pay five euros."}),
    raw_page("prices", {"title": "Prices", "content": "All prices of the town at a glance: see below."}),
)


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    settings = load_settings(
        data=tmp_path, embedder="hashing", admin_token=TOKEN, fields={"office": "keyword"}
    )
    services = Services(settings)
    offices = zip(PAGES, ("Baths", "Treasury"), strict=True)
    services.store.accept([Save(page=replace(page, metadata={"office": office})) for page, office in offices])
    services.indexing.indexer.sync_pages()
    return create_app(services=services).test_client()


def test_a_pinned_page_comes_first_only_where_it_passes(client: FlaskClient) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/api/admin/curation", json=PIN, headers=headers).status_code == 201

    def found(**query: str) -> list[str]:
        hits = client.get("/api/search", query_string={"q": ASKED, **query}).get_json()["hits"]
        return [hit["id"] for hit in hits]

    assert found()[0] == "prices"
    assert found(**{"filter.office": "Treasury"}) == ["prices"]
    assert found(**{"filter.office": "Baths"}) == ["pool"]


@pytest.mark.parametrize(
    ("query", "is_first"),
    [({}, True), ({"filter.office": "Treasury"}, True), ({"filter.office": "Baths"}, False)],
)
def test_a_pin_that_does_not_pass_leaves_the_list_of_the_search_page_in_the_order_of_words(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, query: dict[str, str], is_first: bool
) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/api/admin/curation", json=PIN, headers=headers).status_code == 201
    told: list[bool] = []

    def ordered(*_: object, is_pinned: bool) -> list[PageRef]:
        told.append(is_pinned)
        return []

    monkeypatch.setattr(page_list, "ordered", ordered)
    assert client.get("/api/search/pages", query_string={"q": ASKED, **query}).status_code == 200
    assert told == [is_first]
