"""Texts that questions are compared with by their meaning."""

from collections.abc import Sequence
from threading import Lock

import numpy as np

from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors


class Examples:
    """Embeds its texts once for each embedder, and keeps them in the cache. Thread-safe."""

    def __init__(self, texts: Sequence[str], cache: VectorCache) -> None:
        self._texts = tuple(texts)
        self._cache = cache
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def cosines(self, question: Vectors, embedder: Embedder) -> Vectors:
        """Return the cosines, shape ``(n,)``, of a question's vector, shape ``(dims,)``, and the texts.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the texts are embedded.
        """
        found: Vectors = self._embedded(embedder) @ question
        return found

    def mean(self, embedder: Embedder) -> Vectors:
        """Return the mean of the texts' vectors, shape ``(dims,)``. Raises as :meth:`cosines`."""
        found: Vectors = self._embedded(embedder).mean(axis=0)
        return found

    def _embedded(self, embedder: Embedder) -> Vectors:
        """Return the texts' vectors, shape ``(n, dims)``."""
        key = recipe_hash(embedder_recipe(embedder))
        with self._lock:
            if key not in self._vectors:
                vectors = CachedEmbedder(embedder, self._cache).vectors(self._texts)
                self._vectors[key] = np.array([vectors[text_hash(text)] for text in self._texts])
            return self._vectors[key]
