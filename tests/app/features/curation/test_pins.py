"""Pinned pages and answers by the bundled embedder, which compares the blocks of pages with a question."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.features.curation.test_api import ask
from tests.fakes.kept_vectors import kept_vectors
from tests.fakes.world import raw_page

ASKED = "Where can I park?"
TOKEN = "an-administrator-token-of-tests"
PAGES = (
    raw_page("permits", {"title": "Parking", "content": "With the blue badge you can park in all zones."}),
    raw_page("visits", {"title": "Visiting us", "content": "Leave your car at the station, and walk."}),
    raw_page("bees", {"title": "Bees", "content": "Whoever keeps bees tells the town hall."}),
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    settings = load_settings(data=tmp_path, embedder="e5", admin_token=TOKEN)
    with Services(settings) as services, kept_vectors(services):
        services.store.accept([Save(page=page) for page in PAGES])
        services.indexing.indexer.sync_pages()
        yield create_app(services=services).test_client()


@pytest.mark.parametrize("pinned", ["visits", "bees"])
def test_the_pinned_page_is_quoted_though_another_is_nearer(client: FlaskClient, pinned: str) -> None:
    assert "blue badge" in ask(client, ASKED)["html"]
    pin = {"phrasings": [ASKED], "page": {"source": "town", "id": pinned}}
    entry = {"site": "default", "kind": "pin", "content": pin}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/api/admin/curation", json=entry, headers=headers).status_code == 201
    answer = ask(client, ASKED)
    assert (answer["sources"][0]["id"], answer["citations"]) == (pinned, [1])
    assert "blue badge" not in answer["html"]
