"""Signed feature hashing of stemmed words and character n-grams. Not semantic: it matches spelling.

Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009). For machines that
cannot run a model, and for tests: deterministic, no download, thousands of chunks a second.
"""

import re
import threading
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
import Stemmer
from pydantic import PositiveInt

from ingest.options import validate_options
from ingest.protocols import Recipe
from ingest.types import Vectors

_WORD: Final = re.compile(r"[^\W_]+")
_NGRAM: Final = 4
_NGRAM_WEIGHT: Final = 0.4
_LANGUAGES: Final = ("english", "german")

WORDS_KEPT: Final = 16_384
"""The number of words whose features, a few hundred bytes each, are cached: few words make up most text."""

Slots = npt.NDArray[np.intp]
Weights = npt.NDArray[np.float64]


class HashingEmbedder:
    """Embeds with ``dims`` dimensions; each stem of a word has weight 1, each of its 4-grams 0.4."""

    recipe_options: ClassVar[tuple[str, ...]] = ("dims",)
    max_tokens = 8_192
    batch_size = 64

    @validate_options
    def __init__(self, dims: PositiveInt = 512) -> None:
        self.dims = dims
        self.recipe: Recipe = {"name": "hashing", "version": 1, "dims": dims}
        self._stemmers = [Stemmer.Stemmer(language) for language in _LANGUAGES]
        self._lock = threading.Lock()
        self._weighted = lru_cache(WORDS_KEPT)(self._features_of)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return vectors ``(n, dims)``."""
        rows = [self.embed_query(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dims)

    def embed_query(self, text: str) -> Vectors:
        """Return a vector ``(dims,)``."""
        vector = np.zeros(self.dims, dtype=np.float32)
        counted = Counter(_WORD.findall(text.casefold()))
        if counted:
            weighted = [self._weighted(word) for word in counted]
            counts = np.repeat(np.sqrt(list(counted.values())), [len(slots) for slots, _ in weighted])
            weights = np.concatenate([weights for _, weights in weighted])
            np.add.at(vector, np.concatenate([slots for slots, _ in weighted]), weights * counts)
        norm = float(np.linalg.norm(vector))
        if norm == 0:  # without any word, any unit vector will do
            vector[_slot(text, self.dims)[0]] = norm = 1.0
        result: Vectors = (vector / norm).astype(np.float32)
        return result

    def _features_of(self, word: str) -> tuple[Slots, Weights]:
        """Return the slots of a word's features and their signed weights: its stems, then its 4-grams."""
        with self._lock:  # Snowball objects must not be shared between threads
            stems = {stemmer.stemWord(word) for stemmer in self._stemmers}
        padded = f"^{word}$"
        grams = [f"#{padded[start : start + _NGRAM]}" for start in range(len(padded) - _NGRAM + 1)]
        found = [(*_slot(feature, self.dims), 1.0) for feature in sorted(stems)]
        found += [(*_slot(feature, self.dims), _NGRAM_WEIGHT) for feature in grams]
        slots, signs, weights = zip(*found, strict=True)
        return np.array(slots, np.intp), np.array(signs) * np.array(weights)


def _slot(feature: str, dims: int) -> tuple[int, float]:
    digest = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")
    return digest % dims, 1.0 if digest >> 63 else -1.0
