"""Tiny models with random weights that load and run like real ones."""

import importlib.util
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.services import MissingServiceError, outcome

VOCABULARY: Final = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "tax", "pool", "opens", "is", "due"]
DIMS: Final = 8


def installed(*packages: str) -> bool:
    """Whether all of them are there."""
    return all(importlib.util.find_spec(package) for package in packages)


def require_flag_embedding() -> None:
    """Skip the test, or fail where services are required, without FlagEmbedding."""
    if not installed("FlagEmbedding"):
        raise outcome(MissingServiceError("FlagEmbedding is not installed: make test-bge"))


def write_tokenizer(
    file: Path, special: tuple[str, str, str, str] = ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
) -> None:
    """Words of ``VOCABULARY``; everything else is unknown."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors  # noqa: PLC0415

    first, last, padding, unknown = special
    words = [padding, unknown, first, last, *VOCABULARY[4:]]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} {last} $B {last}",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    tokenizer.save(str(file))


def write_onnx_model(
    folder: Path,
    *,
    output: str = "last_hidden_state",
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
) -> Path:
    """A graph that looks each token up in a table: ``(batch, tokens, DIMS)``, or its mean for
    ``sentence_embedding``."""
    import onnx  # noqa: PLC0415
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder / "tokenizer.json")
    table = np.random.default_rng(7).normal(size=(len(VOCABULARY), DIMS)).astype(np.float32)
    pooled = output == "sentence_embedding"
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states" if pooled else output])]
    weights = [numpy_helper.from_array(table, "table")]
    if pooled:
        weights.append(numpy_helper.from_array(np.array([1], dtype=np.int64), "axes"))
        nodes.append(helper.make_node("ReduceMean", ["states", "axes"], [output], keepdims=0))
    shape: list[str | int | None] = ["batch", DIMS] if pooled else ["batch", "tokens", DIMS]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, str(folder / "model.onnx"))
    return folder


def write_bge_m3(folder: Path, seed: int = 7) -> Path:
    """An XLM-RoBERTa of two layers with the heads that BGE-M3 has."""
    require_flag_embedding()
    import torch  # noqa: PLC0415
    from transformers import XLMRobertaModel  # noqa: PLC0415

    XLMRobertaModel(_xlm_roberta(folder, seed)).save_pretrained(folder)
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(32, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def write_bge_reranker(folder: Path) -> Path:
    """An XLM-RoBERTa of two layers that gives one number for a pair of texts."""
    require_flag_embedding()
    from transformers import XLMRobertaForSequenceClassification  # noqa: PLC0415

    XLMRobertaForSequenceClassification(_xlm_roberta(folder, 7, num_labels=1)).save_pretrained(folder)
    return folder


def _xlm_roberta(folder: Path, seed: int, **options: int) -> Any:
    """Write a tokenizer, and return the configuration of a tiny model whose weights come from ``seed``."""
    import torch  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    special = ("<s>", "</s>", "<pad>", "<unk>")
    write_tokenizer(folder / "tokenizer.json", special)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=8_192,
        model_input_names=["input_ids", "attention_mask"],
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    return XLMRobertaConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=8_194,
        type_vocab_size=1,
        initializer_range=0.3,  # so that every token shows in the result
        pad_token_id=0,
        **options,
    )
