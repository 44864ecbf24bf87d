"""Embedders that the settings make: their options, servers that are away, models that change."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.errors import EmbedderUnavailableError, PluginError, SettingsError
from app.monitoring.readiness import checks
from app.search.index import live_generation
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.types import Save
from tests.fakes.embeddings_server import FakeEmbeddings, Reply
from tests.fakes.world import raw_page

PAGES = [
    raw_page("pool", {"content": "The pool opens at nine."}),
    raw_page("dogs", {"content": "The dog tax is due in May."}),
]
QUESTION = "When does the pool open?"
TOWN = frozenset({"town"})
THRESHOLDS = dict.fromkeys(("base", "content", "title", "description", "name", "keywords"), 0.1)
MODELS = {"first": THRESHOLDS, "second": THRESHOLDS}


@pytest.fixture
def server() -> Iterator[FakeEmbeddings]:
    with FakeEmbeddings() as fake:
        yield fake


def settings(folder: Path, server: FakeEmbeddings, model: str = "first", **overrides: Any) -> Settings:
    options = {"base_url": server.base_url, "model": model, "api_key": "sk-hush", "retry_seconds": "0"}
    chosen = {"embedder": "endpoint", "embedders": {"endpoint": options}, "thresholds": MODELS}
    return load_settings(**{"data": folder, "retry_seconds": 0.001, **chosen, **overrides})


FOREIGN = """
class Embedder:
    recipe = {"name": "foreign", "dims": 2}
    dims = 2
    max_tokens = 512

    def embed_documents(self, texts):
        return []

    def embed_query(self, text):
        return []
"""


def test_a_foreign_embedder_that_lacks_something_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    information = tmp_path / "foreign-1.0.dist-info"
    information.mkdir()
    (tmp_path / "foreign.py").write_text(FOREIGN)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[auskunft.embedders]\nforeign = foreign:Embedder\n")
    monkeypatch.syspath_prepend(tmp_path)
    services = Services(load_settings(data=tmp_path / "data", embedder="foreign"))
    with services, pytest.raises(PluginError, match="'foreign' cannot be used: it has no batch_size"):
        _ = services.indexing.embedder


def index_pages(services: Services) -> None:
    services.store.accept([Save(page=page) for page in PAGES])
    while services.indexing.indexer.sync_pages():
        pass


def found(services: Services) -> tuple[str, tuple[str, ...], list[str]]:
    """The mode, the labels and the ids that the question finds."""
    result = services.chat.default.retriever.retrieve(QUESTION, sources=TOWN)
    return result.mode, result.degraded, [hit.page.ref.id for hit in result.hits][:1]


def test_pages_and_questions_go_to_the_endpoint_with_the_settings_options(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
        assert found(services) == ("semantic", (), ["pool"])
    *_, question, blocks = server.requests
    assert question == {"model": "first", "input": [QUESTION]}
    assert blocks == {"model": "first", "input": ["pool\nThe pool opens at nine."]}
    assert set(server.keys) == {"Bearer sk-hush"}


@pytest.mark.parametrize("status", [400, 401, 404, 503])
def test_pages_wait_and_questions_fall_back_to_words_while_the_server_refuses(
    tmp_path: Path, server: FakeEmbeddings, status: int
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
        server.default = Reply(status=status)
        assert found(services) == ("keyword", ("embedder_unavailable",), ["pool"])
        services.store.accept([Save(page=raw_page("new", {"content": "News."}))])
        for _ in range(7):  # more often than the attempts that make a page poison
            while not services.store.is_due():
                pass  # the page rests for a millisecond
            with pytest.raises(EmbedderUnavailableError):
                services.indexing.indexer.sync_pages()
        server.default = Reply()
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        assert {row.state for row in services.page_list.records()} == {"indexed"}


def test_an_installation_in_use_starts_and_answers_while_the_server_is_away(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
    server.default = Reply(status=503)
    with Services(settings(tmp_path, server)) as services:
        assert found(services) == ("keyword", ("embedder_unavailable",), ["pool"])
        parts = {part.name: part for part in checks(services)}
        assert (parts["index"].ok, parts["embedder"].ok) == (True, False)
        assert "HTTP 503" in parts["embedder"].detail


def test_questions_keep_the_older_model_until_a_rebuild_is_done(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
    with Services(settings(tmp_path, server, "second")) as services:
        assert found(services) == ("semantic", (), ["pool"])
        assert server.requests[-1]["model"] == "first"
        services.indexing.rebuilder.build()
        assert found(services) == ("semantic", (), ["pool"])
        assert server.requests[-1]["model"] == "second"


def test_a_model_that_has_other_dimensions_by_now_spoils_nothing(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
    server.default = Reply(dims=32)
    with Services(settings(tmp_path, server)) as services:
        assert found(services) == ("keyword", ("embedder_unavailable",), ["pool"])
        services.store.accept([Save(page=raw_page("new", {"content": "News."}))])
        with pytest.raises(PluginError, match="not the one the index was built with"):
            services.indexing.indexer.sync_pages()
        assert {row.state for row in services.page_list.records()} == {"indexed", "waiting"}
        services.indexing.rebuilder.build()
        assert live_generation(services.indexing.index, services.store.id).recipe.dims == 32
        assert found(services) == ("semantic", (), ["pool"])


def test_a_running_server_goes_on_after_a_rebuild_with_other_dimensions(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as running:
        index_pages(running)
        server.default = Reply(dims=32)
        assert found(running) == ("keyword", ("embedder_unavailable",), ["pool"])
        with Services(settings(tmp_path, server)) as command:
            command.indexing.rebuilder.build()
        assert found(running) == ("semantic", (), ["pool"])


def test_no_index_is_made_that_could_not_be_asked(tmp_path: Path, server: FakeEmbeddings) -> None:
    with (
        Services(settings(tmp_path, server, "unknown")) as services,
        pytest.raises(SettingsError, match=r"\[thresholds\.unknown\]"),
    ):
        index_pages(services)
    assert server.requests == []


def test_without_thresholds_the_start_fails_but_a_running_server_falls_back(
    tmp_path: Path, server: FakeEmbeddings
) -> None:
    with Services(settings(tmp_path, server)) as services:
        index_pages(services)
    lacking = settings(tmp_path, server, thresholds={})
    with Services(lacking) as services:
        with pytest.raises(SettingsError, match=r"\[thresholds\.first\]"):
            _ = services.chat.default.retriever
        [embedder] = [part for part in checks(services) if part.name == "embedder"]
        assert (embedder.ok, "[thresholds.first]" in embedder.detail) == (False, True)
    with Services(settings(tmp_path, server, embedder="hashing")) as services:
        assert services.chat.default.retriever
        services.chat.default.retriever._retriever._preset = services.preset.model_copy(
            update={"embedders": {}}
        )
        response = (
            create_app(services=services).test_client().get("/api/search", query_string={"q": QUESTION})
        )
        assert response.status_code == 200
        assert response.get_json()["degraded"] == ["embedder_unavailable"]


def test_secrets_among_options_are_shown_nowhere_and_handed_on(tmp_path: Path) -> None:
    options = {"api_key": "hush", "base_url": "http://me:hush@h/v1", "auth_token": "hush", "max_tokens": 512}
    made = load_settings(data=tmp_path, embedders={"endpoint": options})
    assert "hush" not in repr(made) + json.dumps(made.model_dump(mode="json"))
    assert made.embedder_options("endpoint") == options
    assert load_settings(**made.model_dump()).embedder_options("endpoint") == options


def test_an_option_that_is_no_plain_value_is_named() -> None:
    with pytest.raises(SettingsError, match=r"'embedders\.endpoint\.model': use text, a number, true"):
        load_settings(embedders={"endpoint": {"model": ["x"]}})
