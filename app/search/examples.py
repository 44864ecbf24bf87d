"""Examples that questions are compared with by their meaning, so that other words and other languages are
recognised too, and those of what visitors ask of no website (``off_topic_examples/``, German and English):
small talk, general knowledge, homework, private advice, nonsense.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Final

import numpy as np

from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

NEAREST: Final = 3
"""As many examples count: one may be near by chance."""


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


class OffTopic:
    """Measures how near a question is to what visitors ask of no website. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        self._examples = Examples(off_topic_examples(), cache)

    def similarity(self, question: Vectors, embedder: Embedder) -> float:
        """Return the mean cosine of a question's vector, shape ``(dims,)``, and its nearest examples.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        cosines = self._examples.cosines(question, embedder)
        return float(np.sort(cosines)[-NEAREST:].mean())

    def middle(self, embedder: Embedder) -> Vectors:
        """Return the mean of the examples' vectors, shape ``(dims,)``: a question of no subject.

        Raises as :meth:`similarity`.
        """
        return self._examples.mean(embedder)


@cache
def off_topic_examples() -> tuple[str, ...]:
    """Return what visitors ask of no website, in all languages."""
    folder = files("app.search").joinpath("off_topic_examples")
    return tuple(line for each in folder.iterdir() for line in each.read_text("utf-8").splitlines() if line)
