"""The sources of an answer from law: their cosines, and which of them refer to which."""

from collections.abc import Iterator

import jsonschema_rs
import pytest
from flask.testing import FlaskClient

from app import create_app
from app.chat.documents import SourceDocument
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.api.events import named, parse
from tests.app.law.ferries import library

ASKED = "What is the crossing fee of ferries for islanders?"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    settings = load_settings(data=tmp_path_factory.mktemp("law"), embedder="hashing", preset="rtr")
    with Services(settings) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        yield create_app(services=services).test_client()


def test_every_source_has_its_cosine_and_a_linked_one_says_what_refers_to_it(client: FlaskClient) -> None:
    events = parse(client.post("/api/chat", json={"question": ASKED}).text)
    [found] = named(events, "sources")
    sources = found["sources"]
    for source in sources:
        jsonschema_rs.validate(SourceDocument.model_json_schema(), source)
        assert -1 <= source["similarity"] <= 1
    numbers = {source["id"].rpartition("@")[2]: source["number"] for source in sources}
    links = {source["id"].rpartition("@")[2]: source.get("linked_from") for source in sources}
    article = numbers["2024-06-01/art_1"]
    assert article in links["2024-06-01/anx_I"]["reference"]
    assert article in links["2020-01-01/rct_1"]["recital"]
