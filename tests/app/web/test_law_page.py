"""The start page over a body of law."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.law.ferries import library
from tests.app.web.browser import soup
from tests.fakes.databases import new_data

QUESTION = "Combien coûte la traversée pour chaque passager ?"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with the ferries' law."""
    folder = tmp_path_factory.mktemp("law")
    with Services(load_settings(data=new_data(folder), embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
    return folder


@pytest.fixture
def page(data: Path) -> Iterator[FlaskClient]:
    with Services(load_settings(data=data, embedder="hashing")) as services:
        yield create_app(services=services).test_client()


def test_a_text_that_no_longer_applies_says_since_when(page: FlaskClient) -> None:
    found = soup(page.get("/", query_string={"q": QUESTION, "lang": "de"}))
    assert "gilt seit 2024-06-01 nicht mehr" in [said.get_text() for said in found.select(".ended")]
    newest = soup(page.get("/", query_string={"q": "How much does a crossing cost?"}))
    assert newest.select(".hits > li")
    assert not newest.select(".ended")
