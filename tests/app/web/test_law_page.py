"""The demo page over a body of law."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings import ChatSettings, load_settings
from ingest.types import Save
from tests.app.law.ferries import library
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "Combien coûte la traversée pour chaque passager ?"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with the ferries' law."""
    folder = tmp_path_factory.mktemp("law")
    with Services(load_settings(data=folder, embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexer.sync_pages()
    return folder


@pytest.fixture
def page(data: Path) -> Iterator[FlaskClient]:
    with Services(load_settings(data=data, embedder="hashing")) as services:
        yield create_app(services=services).test_client()


@pytest.mark.parametrize("mode", ["ask", "search"])
def test_a_text_that_no_longer_applies_says_since_when(page: FlaskClient, mode: str) -> None:
    found = page.get("/", query_string={"q": QUESTION, "mode": mode, "lang": "de"}).text
    assert '<span class="ended">gilt seit 2024-06-01 nicht mehr</span>' in found
    newest = page.get("/", query_string={"q": "How much does a crossing cost?", "mode": mode}).text
    assert 'class="ended"' not in newest


def test_the_time_that_the_model_read_from_the_question_is_said(data: Path, llm: FakeLlm) -> None:
    llm.script(
        Reply(deltas=('{"question": "How much did a crossing cost?", "in_force_on": "2023-01-31"}',)),
        Reply(deltas=("Four euros [1].",)),
    )
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    with Services(load_settings(data=data, embedder="hashing", preset="eurlex", chat=chat)) as services:
        client = create_app(services=services).test_client()
        html = client.get("/", query_string={"q": "How much did a crossing cost in January 2023?"}).text
    assert "<li>The law as of 2023-01-31.</li>" in html
    assert "no longer applies since 2024-06-01" in html
