"""Measures how near a question is to what visitors ask of no website: small talk, general knowledge,
homework, private advice, nonsense.

The examples (``off_topic_examples/``, German and English) are compared by their meaning, so that other words
and other languages are recognised too.
"""

from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from app.search.examples import Examples
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

NEAREST: Final = 3
"""As many examples count: one may be near by chance."""


class OffTopic:
    """Compares questions with the examples. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        self._examples = Examples(examples(), cache)

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
def examples() -> tuple[str, ...]:
    """Return the examples of all languages."""
    folder = files("app.search").joinpath("off_topic_examples")
    return tuple(line for each in folder.iterdir() for line in each.read_text("utf-8").splitlines() if line)
