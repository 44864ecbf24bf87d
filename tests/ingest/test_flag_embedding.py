"""What is checked of a model before it is loaded, and which texts are computed at once."""

from pathlib import Path

import pytest

from ingest.embedders.bge_m3 import BgeM3Embedder
from ingest.errors import PluginError
from ingest.flag_embedding import BATCH_CHARACTERS, PROCESS_BYTES, batches
from ingest.memory import memory_limit

FILES = ("config.json", "colbert_linear.pt", "sparse_linear.pt", "tokenizer.json", "pytorch_model.bin")


def write_folder(folder: Path, lacking: str = "") -> Path:
    folder.mkdir()
    for name in FILES:
        if name != lacking:
            (folder / name).write_bytes(b"\x80\x02")
    return folder


def complaint(folder: Path, processes: int = 1) -> str:
    with pytest.raises(PluginError) as caught:
        BgeM3Embedder.check(processes=processes, model=str(folder))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_whole_model_passes_and_a_name_on_the_hub_is_not_looked_up(tmp_path: Path) -> None:
    BgeM3Embedder.check(processes=1, model=str(write_folder(tmp_path / "bge-m3")), batch_size="4")
    BgeM3Embedder.check(processes=1)
    BgeM3Embedder.check(processes=1, model="BAAI/bge-m3")


@pytest.mark.parametrize("lacking", FILES)
def test_a_folder_without_a_file_that_loading_needs_is_told_with_the_command_that_fetches_it(
    tmp_path: Path, lacking: str
) -> None:
    said = complaint(write_folder(tmp_path / "bge-m3", lacking))
    assert f"embedder 'bge-m3' cannot use the folder {tmp_path}/bge-m3: it has no {lacking}; " in said
    assert '`hf download BAAI/bge-m3 --exclude "onnx/*" --local-dir FOLDER`' in said
    assert "BGE_M3_FOLDER" in said


def test_no_folder_an_empty_one_and_a_file_in_its_place_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    assert ": it is empty; " in complaint(tmp_path / "empty")
    assert ": there is none; " in complaint(tmp_path / "absent")
    assert ": there is none; " in complaint(tmp_path / "file")


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\noid sha256:..."])
def test_a_clone_without_the_weights_themselves_is_told(tmp_path: Path, content: bytes) -> None:
    folder = write_folder(tmp_path / "bge-m3")
    (folder / "pytorch_model.bin").write_bytes(content)
    assert "pytorch_model.bin holds no weights" in complaint(folder)


def test_weights_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "bge-m3", lacking="pytorch_model.bin")
    (folder / "pytorch_model.bin").mkdir()
    said = complaint(folder)
    assert f"embedder 'bge-m3' cannot read {folder}/pytorch_model.bin: Is a directory; " in said


def test_weights_in_several_files_count_together_and_processes_share_them(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "bge-m3", lacking="pytorch_model.bin")
    limit = memory_limit()
    processes = limit // PROCESS_BYTES
    for number in (1, 2):
        with (folder / f"model-0000{number}-of-00002.safetensors").open("wb") as file:
            file.write(b"\x80")
            file.truncate(limit // 4)
    BgeM3Embedder.check(processes=1 + processes // 4, model=str(folder))
    said = complaint(folder, processes)
    assert said.startswith(f"{processes} processes need ")
    assert f"GB of memory with embedder 'bge-m3', and there are {limit / 1e9:.1f}: " in said
    assert "lower --concurrency" in said


def test_texts_of_similar_length_are_computed_together_and_never_too_much_at_once() -> None:
    texts = ["a" * length for length in (700, 9_000, 20_000, 650, 9_000, 0, 700)]
    assert list(batches(texts, 16)) == [[5, 3, 0, 6], [1], [4], [2]]
    assert list(batches(texts, 2)) == [[5, 3], [0, 6], [1], [4], [2]]
    assert list(batches(["a" * 700] * 40, 16)) == [list(range(n, min(n + 16, 40))) for n in (0, 16, 32)]
    assert all(
        len(batch) == 1 or len(batch) * max(len(texts[position]) for position in batch) <= BATCH_CHARACTERS
        for batch in batches(texts, 16)
    )
    assert list(batches([], 16)) == []
