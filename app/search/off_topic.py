"""How near a question is to what visitors ask of no website: small talk, general knowledge, homework, private
advice, nonsense.

The examples (``off_topic_examples/``, German and English) are compared by their meaning, so that other words
and other languages are recognised too.
"""

from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Final

import numpy as np

from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

NEAREST: Final = 3
"""As many examples count: one may be near by chance."""


class OffTopic:
    """Compares questions with the examples. Thread-safe; the examples are embedded once and kept in the
    cache."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache
        self._examples: dict[str, Vectors] = {}
        self._lock = Lock()

    def similarity(self, question: Vectors, embedder: Embedder) -> float:
        """Return the mean cosine of a question's vector, shape ``(dims,)``, and its nearest examples.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        cosines = self._embedded(embedder) @ question
        return float(np.sort(cosines)[-NEAREST:].mean())

    def _embedded(self, embedder: Embedder) -> Vectors:
        """Return the examples' vectors, shape ``(n, dims)``."""
        key = recipe_hash(embedder_recipe(embedder))
        with self._lock:
            if key not in self._examples:
                vectors = CachedEmbedder(embedder, self._cache).vectors(examples())
                self._examples[key] = np.array(list(vectors.values()))
            return self._examples[key]


@cache
def examples() -> tuple[str, ...]:
    """Return the examples of all languages."""
    folder = files("app.search").joinpath("off_topic_examples")
    return tuple(line for each in folder.iterdir() for line in each.read_text("utf-8").splitlines() if line)
