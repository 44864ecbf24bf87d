"""Scores of BGE-Reranker-v2-M3 through FlagEmbedding, in this process.

The model is a multilingual cross-encoder based on BGE-M3 (Chen et al., 2024), which turns a question and a
text together into one score. It needs a GPU: without one, 150 texts take minutes.
"""

import time
from collections.abc import Sequence
from pathlib import PurePath
from threading import Lock
from typing import ClassVar, Final

from pydantic import PositiveFloat, PositiveInt

from ingest.errors import PluginError, RerankerUnavailableError
from ingest.flag_embedding import EXTRA, PACKAGES, FlagModel, batches
from ingest.options import validate_options
from ingest.protocols import Recipe

MAX_TOKENS: Final = 1_024
"""The limit for question and text together, as the model card recommends."""


class BgeReranker:
    """A reranker that runs the model in this process.

    ``model``: a folder, or a name on the Hugging Face hub, which is downloaded and cached. ``device``:
    ``cpu``, ``cuda:0``; empty: chosen automatically. ``fp16``: half precision, faster on a GPU. ``seconds``:
    the limit for all texts of a question, including the wait for its turn; checked before every ``batch``.
    """

    packages: ClassVar[tuple[str, ...]] = PACKAGES
    extra: ClassVar[str] = EXTRA

    @validate_options
    def __init__(
        self,
        *,
        model: str = "BAAI/bge-reranker-v2-m3",
        device: str = "",
        batch: PositiveInt = 16,
        fp16: bool = False,
        seconds: PositiveFloat = 4.0,
    ) -> None:
        self._loaded = FlagModel("FlagReranker", "reranker 'bge-reranker'", model, device=device, fp16=fp16)
        if (labels := self._loaded.model.config.num_labels) != 1:
            raise PluginError(
                f"reranker 'bge-reranker' cannot use {model!r}: it returns {labels} numbers for a text, "
                "not one score; set a reranker as the option 'model'"
            )
        self._batch = batch
        self._seconds = seconds
        self._lock = Lock()
        self.recipe: Recipe = {
            "name": "bge-reranker",
            "model": PurePath(model).name,
            "max_tokens": MAX_TOKENS,
            "fp16": fp16,
        }

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text, below 0 if it does not answer. Raises
        ``RerankerUnavailableError``."""
        scores = [0.0] * len(texts)
        deadline = time.monotonic() + self._seconds
        for batch in batches(texts, self._batch):
            for position, score in zip(
                batch, self._run(question, [texts[each] for each in batch], deadline), strict=True
            ):
                scores[position] = score
        return scores

    def _run(self, question: str, texts: list[str], deadline: float) -> list[float]:
        # Not FlagEmbedding's compute_score(): it computes the first batch twice and draws progress bars.
        import torch  # noqa: PLC0415  comes with FlagEmbedding

        left = deadline - time.monotonic()
        if left <= 0 or not self._lock.acquire(timeout=left):  # the tokenizer has state
            raise RerankerUnavailableError(
                "reranker 'bge-reranker' is too slow: lower candidates in the preset, or see seconds"
            )
        try:
            with torch.inference_mode():
                inputs = self._loaded.tokenizer(
                    [question] * len(texts),
                    texts,
                    truncation=True,
                    max_length=MAX_TOKENS,
                    padding=True,
                    return_tensors="pt",
                )
                logits = self._loaded.model(**inputs.to(self._loaded.device)).logits
                scores: list[float] = logits.view(-1).float().cpu().tolist()
                return scores
        except (RuntimeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise RerankerUnavailableError(f"reranker 'bge-reranker' fails: {reason}; lower batch") from error
        finally:
            self._lock.release()
