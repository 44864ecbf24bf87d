"""A model exported to ONNX: a folder with ``model.onnx`` and ``tokenizer.json``.

Pooling and normalisation follow Reimers and Gurevych, "Sentence-BERT" (2019): the mean of the tokens without
padding, or the first token's vector, as the model's card says.
"""

from collections.abc import Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import PositiveInt

from ingest.errors import EmbedderUnavailableError, PluginError
from ingest.normalise import unit_rows
from ingest.options import validate_options
from ingest.packages import require
from ingest.protocols import Recipe
from ingest.types import Vectors

PADDING_TOKENS: Final = ("[PAD]", "<pad>")
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS: Final = ("sentence_embedding", "last_hidden_state")

Pooling = Literal["mean", "cls"]


class OnnxEmbedder:
    """Embeds with the model in ``folder``; texts are truncated to ``max_tokens``.

    ``model``: its name in the recipe, the key of the preset's thresholds; by default the folder's name
    without ``-onnx``. ``pooling``: not used if the model outputs sentence vectors. ``query_prefix``,
    ``document_prefix``: the prefixes in the model's card.
    """

    packages: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers")
    extra: ClassVar[str] = "onnx"

    @validate_options
    def __init__(
        self,
        *,
        folder: Path,
        model: str = "",
        pooling: Pooling = "mean",
        query_prefix: str = "",
        document_prefix: str = "",
        max_tokens: PositiveInt = 512,
        batch_size: PositiveInt = 16,
    ) -> None:
        require("embedder 'onnx'", self.packages, self.extra)
        name = model or folder.resolve().name.removesuffix("-onnx")
        self.max_tokens = max_tokens
        self._pooling: Pooling = pooling
        self._prefixes = {True: query_prefix, False: document_prefix}
        self.batch_size = batch_size
        self._tokenizer = _tokenizer(folder / "tokenizer.json", max_tokens)
        self._session = _session(folder / "model.onnx")
        self._inputs = [node.name for node in self._session.get_inputs()]
        self._output = _output(self._session, folder)
        self.dims = self._run([name]).shape[1]
        self.recipe: Recipe = {
            "name": "onnx",
            "model": name,
            "files": _digest(folder),
            "dims": self.dims,
            "pooling": pooling,
            "query_prefix": query_prefix,
            "document_prefix": document_prefix,
            "max_tokens": max_tokens,
        }

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return vectors ``(n, dims)``."""
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        for start in range(0, len(texts), self.batch_size):  # texts of similar length need little padding
            batch = order[start : start + self.batch_size]
            vectors[batch] = self._embed([texts[position] for position in batch], False)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Return a vector ``(dims,)``."""
        vector: Vectors = self._embed([text], True)[0]
        return vector

    def _embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        prefix = self._prefixes[is_query]
        try:
            return self._run([prefix + text for text in texts])
        except Exception as error:  # the runtime's errors have no other common class
            reason = str(error).splitlines()[0]
            raise EmbedderUnavailableError(
                f"model {self.recipe['model']!r} failed: {reason}; max_tokens may be more than it can read"
            ) from error

    def _run(self, texts: Sequence[str]) -> Vectors:
        encodings = self._tokenizer.encode_batch(list(texts))
        columns = {
            "input_ids": [encoding.ids for encoding in encodings],
            "attention_mask": [encoding.attention_mask for encoding in encodings],
            "token_type_ids": [encoding.type_ids for encoding in encodings],
        }
        arrays = {name: np.array(columns[name], dtype=np.int64) for name in columns}
        inputs = {name: arrays[name] for name in self._inputs}
        output: NDArray[np.floating[Any]] = self._session.run([self._output], inputs)[0]
        if output.ndim == 3:
            output = _pooled(output, arrays["attention_mask"], self._pooling)
        return unit_rows(output)


def _pooled(
    states: NDArray[np.floating[Any]], mask: NDArray[np.int64], pooling: Pooling
) -> NDArray[np.floating[Any]]:
    """Pool ``(n, tokens, dims)`` to ``(n, dims)``."""
    if pooling == "cls":
        first: NDArray[np.floating[Any]] = states[:, 0]
        return first
    weights = mask[:, :, np.newaxis].astype(np.float64)
    pooled: NDArray[np.floating[Any]] = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return pooled


def _tokenizer(file: Path, max_tokens: int) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415  the extra `onnx` may be absent

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the package raises no more specific class
        raise PluginError(f"embedder 'onnx' cannot read {file}: {error}") from error
    known = (token for token in PADDING_TOKENS if tokenizer.token_to_id(token) is not None)
    token = next(known, PADDING_TOKENS[0])
    # The file may set padding to a fixed length and a shorter truncation.
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id(token) or 0, pad_token=token)
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _session(file: Path) -> Any:
    from onnxruntime import InferenceSession  # noqa: PLC0415  the extra `onnx` may be absent

    try:
        return InferenceSession(str(file), providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's errors have no other common class
        raise PluginError(f"embedder 'onnx' cannot load {file}: {str(error).splitlines()[0]}") from error


def _output(session: Any, folder: Path) -> str:
    """Return the output to use. Raises ``PluginError`` if the graph is not a text encoder."""
    inputs = {node.name for node in session.get_inputs()}
    outputs = [node.name for node in session.get_outputs()]
    if unknown := inputs - set(_INPUTS):
        raise PluginError(f"the model in {folder} also needs the inputs {', '.join(sorted(unknown))}")
    found = next((name for name in _OUTPUTS if name in outputs), None)
    if found is None:
        raise PluginError(f"the model in {folder} gives {', '.join(outputs)}, not {' or '.join(_OUTPUTS)}")
    return found


def _digest(folder: Path) -> str:
    """Return the SHA-256 of the tokenizer and all model files (large models have separate weights)."""
    files = [folder / "tokenizer.json", *sorted(folder.glob("model.onnx*"))]
    total = sha256()
    for path in files:
        with path.open("rb") as file:
            total.update(file_digest(file, "sha256").digest())
    return total.hexdigest()
