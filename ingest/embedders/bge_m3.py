"""Dense vectors of BGE-M3 through FlagEmbedding.

Model: Chen et al., "BGE M3-Embedding" (2024): multilingual, up to 8,192 tokens, pooled by the first token's
state, no prefixes. Its sparse and multi-vector outputs are not used.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar, Final

import numpy as np
from pydantic import PositiveInt

from ingest.embedders.priority_lock import PriorityLock
from ingest.errors import EmbedderUnavailableError
from ingest.flag_embedding import EXTRA, PACKAGES, FlagModel, batches, check_model
from ingest.normalise import unit_rows
from ingest.options import validate_options
from ingest.protocols import Recipe
from ingest.types import Vectors

MODEL: Final = "BAAI/bge-m3"
MAX_TOKENS: Final = 8_192
PLUGIN: Final = "embedder 'bge-m3'"
HEADS: Final = ("colbert_linear.pt", "sparse_linear.pt")
"""Weights of the outputs that are not used; FlagEmbedding requires them anyway."""


class BgeM3Embedder:
    """Embeds with BGE-M3.

    ``model``: a folder, or a name on the Hugging Face hub, which is downloaded and cached. ``device``:
    ``cpu``, ``cuda:0``; empty: chosen automatically. ``fp16``: half precision, faster on a GPU; it is part of
    the recipe, because the vectors differ.
    """

    packages: ClassVar[tuple[str, ...]] = PACKAGES
    extra: ClassVar[str] = EXTRA
    max_tokens = MAX_TOKENS

    @validate_options
    def __init__(
        self,
        *,
        model: str = MODEL,
        device: str = "",
        batch_size: PositiveInt = 16,
        fp16: bool = False,
    ) -> None:
        self._loaded = FlagModel("BGEM3FlagModel", PLUGIN, model, device=device, fp16=fp16)
        self.batch_size = batch_size
        self._lock = PriorityLock()
        self.dims = int(self._loaded.model.model.config.hidden_size)
        self.recipe: Recipe = {
            "name": "bge-m3",
            "model": PurePath(model).name,
            "dims": self.dims,
            "pooling": "cls",
            "max_tokens": MAX_TOKENS,
            "fp16": fp16,
        }

    @staticmethod
    def check(*, processes: int, model: str = MODEL, **_options: object) -> None:
        """Check model and memory before ``processes`` load it. Raises ``PluginError``."""
        check_model(PLUGIN, MODEL, model, HEADS, processes=processes)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return vectors ``(n, dims)``."""
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        for batch in batches(texts, self.batch_size):
            vectors[batch] = self._run([texts[position] for position in batch], is_query=False)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Return a vector ``(dims,)``. Goes ahead of waiting batches of documents."""
        vector: Vectors = self._run([text], is_query=True)[0]
        return vector

    def _run(self, texts: list[str], *, is_query: bool) -> Vectors:
        # Not FlagEmbedding's encode(): it computes the first batch twice and draws progress bars.
        import torch  # noqa: PLC0415  comes with FlagEmbedding

        try:
            with self._lock.held(first=is_query), torch.inference_mode():  # the tokenizer has state
                inputs = self._loaded.tokenizer(
                    texts, truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt"
                )
                encoded = self._loaded.model(inputs.to(self._loaded.device))["dense_vecs"]
                return unit_rows(encoded.float().cpu().numpy())
        except (RuntimeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise EmbedderUnavailableError(f"{PLUGIN} failed: {reason}; lower batch_size") from error
