"""An installation whose models FlagEmbedding runs: the sample site is indexed, found, and indexed anew with
another model."""

from pathlib import Path
from typing import Any

import pytest

from app.background.importer import Importer
from app.demo import site
from app.monitoring.readiness import OTHER_SETTINGS, checks
from app.search.index import live_generation
from app.search.retrieval import Retrieval
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.sources.files import FilesSource
from tests.fakes.models import write_bge_m3, write_bge_reranker

pytestmark = pytest.mark.bge

SOURCE = "demo"
QUESTION = "When does the outdoor pool open?"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_bge_m3(folder / "bge-m3")
    write_bge_m3(folder / "tuned-m3", seed=8)
    write_bge_reranker(folder / "bge-reranker-v2-m3")
    return folder


def settings(data: Path, models: Path, model: str = "bge-m3", **overrides: Any) -> Settings:
    return load_settings(
        data=data,
        embedder="bge-m3",
        embedders={"bge-m3": {"model": str(models / model), "device": "cpu"}},
        rerankers={"bge-reranker": {"model": str(models / "bge-reranker-v2-m3"), "seconds": "60"}},
        **overrides,
    )


def index_site(services: Services) -> None:
    importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
    assert importer.run(FilesSource(SOURCE, str(site()))).failures == {}


def ask(services: Services) -> Retrieval:
    return services.chat.default.retriever.retrieve(QUESTION, sources=frozenset({SOURCE}))


def status(services: Services) -> dict[str, tuple[bool, str]]:
    return {check.name: (check.ok, check.detail) for check in checks(services)}


def test_the_sample_site_is_found_by_meaning_with_the_thresholds_of_bge_m3(
    tmp_path: Path, models: Path
) -> None:
    with Services(settings(tmp_path, models)) as services:
        index_site(services)
        result = ask(services)
        assert (result.mode, result.degraded) == ("semantic", ())
        assert "en/pool.html" in [hit.page.ref.id for hit in result.hits]
        assert [hit.page.ref.id for hit in ask(services).hits] == [hit.page.ref.id for hit in result.hits]
        recipe = live_generation(services.indexing.index, services.store.id).recipe
        assert services.preset.thresholds(recipe.embedder) == services.preset.embedders["bge-m3"]
        assert status(services)["embedder"] == (True, "bge-m3")


def test_another_model_is_asked_for_by_status_and_used_after_a_rebuild(tmp_path: Path, models: Path) -> None:
    with Services(settings(tmp_path, models)) as services:
        index_site(services)
    with Services(settings(tmp_path, models, "tuned-m3")) as services:
        before = status(services)
        assert before["index"] == (True, f"generation 1; {OTHER_SETTINGS}")
        assert before["embedder"] == (
            False,
            "embedder 'bge-m3' is not the one the index was built with: run `auskunft reindex`",
        )
        assert (ask(services).mode, ask(services).degraded) == ("keyword", ("embedder_unavailable",))
        services.indexing.rebuilder.build()
        after = status(services)
        assert (after["index"], after["embedder"]) == ((True, "generation 2"), (True, "bge-m3"))
        assert (ask(services).mode, ask(services).degraded) == ("semantic", ())
        recipe = live_generation(services.indexing.index, services.store.id).recipe
        assert recipe.embedder["model"] == "tuned-m3"
        assert services.preset.thresholds(recipe.embedder) == services.preset.embedders["bge-m3"]


def test_pages_are_put_in_order_by_its_reranker(tmp_path: Path, models: Path) -> None:
    chosen = settings(tmp_path, models, preset="contextual", reranker="bge-reranker")
    with Services(chosen) as services:
        index_site(services)
        assert status(services)["reranker"] == (True, "bge-reranker")
        assert (ask(services).mode, ask(services).degraded) == ("semantic", ())
        assert ask(services).hits
