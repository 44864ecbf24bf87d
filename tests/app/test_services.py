"""The composition root: every part once, whoever asks."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from app.errors import (
    DataFolderError,
    IndexUnavailableError,
    PluginError,
    UnknownPluginError,
    UnknownPresetError,
)
from app.search.types import GenerationRecipe
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.fakes.world import raw_page

THREADS = 8


def services(folder: Path, **overrides: str) -> Services:
    """An installation with the hashing embedder."""
    return Services(load_settings(**{"data": folder, "embedder": "hashing", **overrides}))


def test_threads_that_ask_at_once_get_the_same_parts(tmp_path: Path) -> None:
    together = Barrier(THREADS)
    with services(tmp_path) as installation, ThreadPoolExecutor(THREADS) as pool:

        def ask(_: int) -> tuple[int, int, int]:
            together.wait()
            return (
                id(installation.store),
                id(installation.indexing.index),
                id(installation.chat.default.retriever),
            )

        assert len(set(pool.map(ask, range(THREADS)))) == 1
        assert [generation.number for generation in installation.indexing.index.generations()] == [1]


def test_installations_that_start_at_once_in_a_new_folder_share_one_generation(tmp_path: Path) -> None:
    together = Barrier(THREADS)

    def start(_: int) -> int:
        with services(tmp_path) as installation:
            together.wait()
            return len(installation.indexing.index.generations())

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(start, range(THREADS))) == {1}


def test_questions_use_the_embedder_of_the_index_although_the_settings_name_another(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        live = installation.indexing.index.live()
    assert live is not None
    with services(tmp_path, embedder="e5") as changed:
        assert changed.indexing.embedders.of(live).recipe == live.recipe.embedder


def test_an_embedder_that_changed_since_says_what_to_do(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        live = installation.indexing.index.live()
        assert live is not None
        older = GenerationRecipe(embedder={**live.recipe.embedder, "version": 0}, build=live.recipe.build)
        with pytest.raises(PluginError, match="run `auskunft reindex`"):
            installation.indexing.embedders.of(replace(live, recipe=older))


def test_an_embedder_that_is_not_installed_any_more_says_what_to_do(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        live = installation.indexing.index.live()
        assert live is not None
        gone = GenerationRecipe(embedder={**live.recipe.embedder, "name": "gone"}, build=live.recipe.build)
        with pytest.raises(PluginError, match=r"unknown embedder 'gone'.*run `auskunft reindex`"):
            installation.indexing.embedders.of(replace(live, recipe=gone))


def test_an_index_that_is_missing_is_not_made_anew_by_accident(tmp_path: Path) -> None:
    page = raw_page("pool", {"content": "The pool opens at nine."})
    with services(tmp_path) as installation:
        installation.store.accept([Save(page=page)])
        installation.indexing.indexer.sync_pages()
    shutil.rmtree(tmp_path / "index")
    with services(tmp_path) as again:
        assert again.indexing.index.generations() == []
        with pytest.raises(IndexUnavailableError, match="run `auskunft reindex`"):
            again.chat.default.retriever.retrieve("When does the pool open?", sources=frozenset({"town"}))
        again.indexing.rebuilder.build()
        assert [found.ref for found in again.indexing.index.pages([page.ref])] == [page.ref]


def test_where_nothing_was_ever_indexed_an_index_that_is_missing_is_made_anew(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        installation.store.accept([Save(page=raw_page("pool", {"content": "The pool opens at nine."}))])
        assert len(installation.indexing.index.generations()) == 1
    shutil.rmtree(tmp_path / "index")
    with services(tmp_path) as again:
        assert len(again.indexing.indexer.sync_pages()) == 1


def test_a_new_installation_whose_server_is_away_opens_its_index_once(tmp_path: Path) -> None:
    away = {"index": "elasticsearch", "elasticsearch_url": "http://127.0.0.1:9"}
    with services(tmp_path, **away) as installation:
        for _ in range(2):
            with pytest.raises(IndexUnavailableError, match="cannot be reached"):
                _ = installation.indexing.index
        assert installation.indexing.opened_index is installation.indexing.generations.index


def test_unknown_names_list_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownPluginError, match="e5, endpoint, hashing"):
        _ = services(tmp_path, embedder="nope").indexing.embedder
    with pytest.raises(UnknownPluginError, match="bge-reranker, endpoint, lexical-blocks"):
        _ = services(tmp_path, reranker="nope").reranker
    with pytest.raises(UnknownPresetError, match="default, egocms"):
        _ = services(tmp_path, preset="nope").preset


@pytest.mark.parametrize(
    "site",
    [
        {"key": "law", "preset": "nope"},
        {"key": "law", "indexes": {"a": {"sources": ["a"]}, "b": {"sources": ["b"], "preset": "nope"}}},
    ],
)
def test_a_site_with_an_unknown_preset_is_told_before_anything_is_served(
    tmp_path: Path, site: dict[str, object]
) -> None:
    settings = load_settings(data=tmp_path, embedder="hashing", sites=[site])
    with (
        Services(settings) as installation,
        pytest.raises(UnknownPresetError, match="site 'law': unknown preset 'nope'; known: contextual"),
    ):
        installation.chat.check_presets()


def test_a_data_folder_that_is_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match="AUSKUNFT_DATA"):
        _ = services(tmp_path / "file").data
