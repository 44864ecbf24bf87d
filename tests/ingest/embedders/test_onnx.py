"""Exported models: a tiny one made here, and a real one where it is at hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest import registry
from ingest.errors import EmbedderUnavailableError, PluginError
from tests.fakes.models import DIMS, write_onnx_model, write_tokenizer
from tests.shared import MINILM, needs

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")


def create(folder: Path, **options: Any) -> Any:
    """The embedder as the settings make it."""
    return registry.create("embedders", "onnx", folder=str(folder), **options)


def test_mean_pooling_weighs_every_token_and_no_padding(tmp_path: Path) -> None:
    embedder = create(write_onnx_model(tmp_path / "m"))
    tokens = [
        embedder._session.run(None, {"input_ids": [[n]], "attention_mask": [[1]]})[0] for n in (2, 5, 3)
    ]
    expected = np.mean(tokens, axis=0)[0, 0]
    long_and_short = embedder.embed_documents(["dog", "the dog tax is due"])
    assert np.allclose(long_and_short[0], expected / np.linalg.norm(expected), atol=1e-6)


def test_cls_pooling_takes_the_first_token_alone(tmp_path: Path) -> None:
    embedder = create(write_onnx_model(tmp_path / "m"), pooling="cls")
    vectors = embedder.embed_documents(["dog", "the dog tax is due"])
    assert np.allclose(vectors[0], vectors[1])


def test_a_sentence_vector_is_taken_as_it_is(tmp_path: Path) -> None:
    pooled = create(write_onnx_model(tmp_path / "a", output="sentence_embedding"), pooling="cls")
    states = create(write_onnx_model(tmp_path / "b"))
    assert np.allclose(pooled.embed_query("dog tax"), states.embed_query("dog tax"), atol=1e-6)


def test_token_types_are_given_where_the_graph_asks(tmp_path: Path) -> None:
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    assert create(write_onnx_model(tmp_path / "m", inputs=inputs)).dims == DIMS


def test_each_kind_of_text_has_its_prefix(tmp_path: Path) -> None:
    folder = write_onnx_model(tmp_path / "m")
    plain, prefixed = create(folder), create(folder, query_prefix="pool ", document_prefix="tax ")
    assert np.allclose(prefixed.embed_query("dog"), plain.embed_query("pool dog"))
    assert np.allclose(prefixed.embed_documents(["dog"]), plain.embed_documents(["tax dog"]))


def test_tokens_beyond_the_limit_do_not_count(tmp_path: Path) -> None:
    embedder = create(write_onnx_model(tmp_path / "m"), max_tokens="4")
    assert np.allclose(embedder.embed_query("dog tax pool pool"), embedder.embed_query("dog tax"))


def test_the_recipe_changes_with_the_files_and_not_with_their_place(tmp_path: Path) -> None:
    first = create(write_onnx_model(tmp_path / "a" / "Tiny-onnx"))
    assert first.recipe["model"] == "Tiny"
    assert create(write_onnx_model(tmp_path / "b" / "Tiny-onnx")).recipe == first.recipe
    assert create(write_onnx_model(tmp_path / "c"), model="Tiny").recipe == first.recipe
    other = write_onnx_model(tmp_path / "d" / "Tiny-onnx")
    write_tokenizer(other / "tokenizer.json", ("<s>", "</s>", "<pad>", "<unk>"))
    assert create(other).recipe != first.recipe
    assert create(tmp_path / "b" / "Tiny-onnx", pooling="cls").recipe != first.recipe


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), r"cannot load .*model\.onnx"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"junk"), r"cannot load .*model\.onnx"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"cannot read .*tokenizer\.json"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), r"cannot read .*tokenizer\.json"),
        (lambda folder: write_onnx_model(folder, output="logits"), "gives logits, not sentence_embedding or"),
        (
            lambda folder: write_onnx_model(folder, inputs=("input_ids", "pixels")),
            "also needs the inputs pixels",
        ),
    ],
)
def test_a_folder_that_is_no_text_encoder_is_told_in_one_line(
    tmp_path: Path, spoil: Any, complaint: str
) -> None:
    folder = write_onnx_model(tmp_path / "m")
    spoil(folder)
    with pytest.raises(PluginError, match=complaint) as caught:
        create(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "option 'folder' is missing"),
        ({"folder": "m", "pooling": "max"}, "option 'pooling': input should be 'mean' or 'cls'"),
        ({"folder": "m", "max_tokens": "0"}, "option 'max_tokens': "),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PluginError, match=f"embedder 'onnx' cannot be used: {complaint}"):
        registry.create("embedders", "onnx", **options)


@needs(MINILM)
def test_a_real_model_puts_related_texts_nearer_than_others() -> None:
    embedder = create(MINILM)
    texts = ["How much does a dog licence cost?", "The dog tax is 80 euros.", "The pool opens at nine."]
    vectors = embedder.embed_documents(texts)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert np.allclose(embedder.embed_query(texts[0]), vectors[0], atol=1e-5)
    assert embedder.recipe["model"] == "all-MiniLM-L6-v2"


@needs(MINILM)
def test_reading_more_than_the_model_can_is_told_with_what_to_do() -> None:
    embedder = create(MINILM, max_tokens=600)
    with pytest.raises(EmbedderUnavailableError, match="max_tokens may be more than it can read"):
        embedder.embed_query("dog " * 600)
