"""BGE-M3 through FlagEmbedding, with a tiny model of its architecture."""

from pathlib import Path

import numpy as np
import pytest

from ingest import registry
from ingest.embedders.bge_m3 import MAX_TOKENS, BgeM3Embedder
from ingest.errors import PluginError
from tests.fakes.models import installed, write_bge_m3

TEXTS = ["the dog tax is due", "the pool opens", "", "tax " * 300, "dog"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bge_m3(tmp_path_factory.mktemp("models") / "Tiny-M3")


@pytest.fixture(scope="module")
def embedder(folder: Path) -> BgeM3Embedder:
    return BgeM3Embedder(model=str(folder), device="cpu", batch_size=2)


@pytest.mark.bge
def test_batches_give_the_vectors_that_flag_embedding_gives(folder: Path, embedder: BgeM3Embedder) -> None:
    from FlagEmbedding import BGEM3FlagModel  # noqa: PLC0415

    reference = BGEM3FlagModel(str(folder), devices="cpu", use_fp16=False)
    expected = reference.encode(TEXTS, max_length=MAX_TOKENS)["dense_vecs"]
    assert np.allclose(embedder.embed_documents(TEXTS), expected, atol=1e-6)
    assert np.allclose([embedder.embed_query(text) for text in TEXTS], expected, atol=1e-6)


@pytest.mark.bge
def test_the_recipe_tells_what_decides_the_vectors_and_not_where_the_model_is(
    embedder: BgeM3Embedder,
) -> None:
    assert embedder.recipe == {
        "name": "bge-m3",
        "model": "Tiny-M3",
        "dims": 32,
        "pooling": "cls",
        "max_tokens": 8_192,
        "fp16": False,
    }


@pytest.mark.bge
def test_words_beyond_8192_tokens_do_not_count_those_before_do(embedder: BgeM3Embedder) -> None:
    inside = MAX_TOKENS - 2  # the first and the last token are the model's own
    longest = embedder.embed_query("dog " * inside)
    assert np.allclose(embedder.embed_query("dog " * inside + "tax " * 1_000), longest, atol=1e-6)
    last = "dog " * (inside - 1_000) + "tax " * 1_000
    assert not np.allclose(embedder.embed_query(last), longest, atol=1e-3)


@pytest.mark.bge
def test_half_precision_is_another_recipe(folder: Path, embedder: BgeM3Embedder) -> None:
    half = BgeM3Embedder(model=str(folder), device="cpu", fp16=True)
    assert half.recipe != embedder.recipe
    assert np.allclose(half.embed_query(TEXTS[0]), embedder.embed_query(TEXTS[0]), atol=1e-2)


@pytest.mark.bge
def test_nothing_is_printed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    BgeM3Embedder(model=str(folder), batch_size=2).embed_documents(TEXTS)
    assert capfd.readouterr() == ("", "")


@pytest.mark.bge
def test_a_model_that_cannot_be_had_is_told_in_one_line_with_what_to_do(tmp_path: Path) -> None:
    for model in (str(tmp_path), str(tmp_path / "nowhere"), "nobody/has-this"):
        with pytest.raises(PluginError, match="give the model's folder as option 'model'") as caught:
            registry.create("embedders", "bge-m3", model=model, device="cpu")
        assert "\n" not in str(caught.value)


@pytest.mark.bge
def test_a_device_that_cannot_be_used_is_told_in_one_line_with_what_to_do(folder: Path) -> None:
    for device in ("cuda:0", "gpu"):
        with pytest.raises(PluginError, match=f"cannot use '{device}': .*set its option 'device'") as caught:
            registry.create("embedders", "bge-m3", model=str(folder), device=device)
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(installed("FlagEmbedding"), reason="FlagEmbedding is installed")
def test_without_its_package_the_command_that_installs_it_is_told() -> None:
    with pytest.raises(PluginError, match=r"needs the package FlagEmbedding: pip install 'auskunft\[bge\]'"):
        registry.create("embedders", "bge-m3")
