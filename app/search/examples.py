"""Example questions that questions are compared with by meaning, so that other words and other languages are
recognised too. Among them are those of off-topic questions (``off_topic_examples/``, German and English):
small talk, general knowledge, homework, private advice, nonsense.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from threading import Lock, Thread
from typing import Final

import numpy as np
import structlog

from app.errors import EmbedderUnavailableError, PageStoreUnavailableError, PluginError
from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, Recipe, VectorCache
from ingest.types import Vectors

log: Final = structlog.get_logger(__name__)

NEAREST: Final = 3
"""The number of nearest examples that count, because a single one may be near by chance."""


class QuestionDocuments:
    """An embedder that embeds documents as questions, with a recipe of its own."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.recipe: Recipe = {**embedder_recipe(embedder), "input": "question"}
        self.max_tokens = embedder.max_tokens
        self.batch_size = embedder.batch_size

    @property
    def dims(self) -> int:
        """The length of every vector. Raises ``EmbedderUnavailableError``."""
        return self.embedder.dims

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as questions, shape ``(n, dims)``. Raises ``EmbedderUnavailableError``."""
        rows = [self.embedder.embed_query(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dims)

    def embed_query(self, text: str) -> Vectors:
        """Embed a question, shape ``(dims,)``. Raises ``EmbedderUnavailableError``."""
        return self.embedder.embed_query(text)


class Examples:
    """Texts that are embedded once for each embedder, and kept in the cache. Thread-safe."""

    def __init__(self, texts: Sequence[str], cache: VectorCache) -> None:
        self._texts = tuple(texts)
        self._cache = cache
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def cosines(self, question: Vectors, embedder: Embedder) -> Vectors:
        """Return the cosines, shape ``(n,)``, of a question's vector, shape ``(dims,)``, with the texts.

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


class QuestionExamples(Examples):
    """Examples that are embedded as questions, one by one, in the background so that no question waits."""

    def cosines(self, question: Vectors, embedder: Embedder) -> Vectors:
        """See :class:`Examples`. If the texts are not embedded yet, start embedding them in the background
        and raise ``EmbedderUnavailableError``."""
        if not self._is_kept(QuestionDocuments(embedder)):
            if not self._lock.locked():
                Thread(target=self.embed, args=(embedder,), name="examples", daemon=True).start()
            raise EmbedderUnavailableError("the examples are not embedded yet")
        return super().cosines(question, QuestionDocuments(embedder))

    def embed(self, embedder: Embedder) -> None:
        """Embed the texts; if that fails, the next question starts it again."""
        try:
            self._embedded(QuestionDocuments(embedder))
        except (EmbedderUnavailableError, PageStoreUnavailableError, PluginError) as error:
            log.warning("examples_not_embedded", message=str(error))

    def _is_kept(self, embedder: Embedder) -> bool:
        """Return True if the vectors are in memory, or all in the cache."""
        if recipe_hash(embedder_recipe(embedder)) in self._vectors:
            return True
        hashes = {text_hash(text) for text in self._texts}
        return len(CachedEmbedder(embedder, self._cache).known([*hashes])) == len(hashes)


Texts = Sequence[str] | QuestionExamples
"""Texts that a question is compared with."""


def cosines(question: Vectors, texts: Texts, embedder: Embedder) -> list[float]:
    """Return the cosines of a question's vector, shape ``(dims,)``, with texts embedded as questions. Raises
    as :meth:`QuestionExamples.cosines`."""
    if isinstance(texts, QuestionExamples):
        found: list[float] = texts.cosines(question, embedder).tolist()
        return found
    return [float(embedder.embed_query(text) @ question) for text in texts]


def nearest_mean(cosines: Vectors) -> float:
    """Return the mean of the ``NEAREST`` highest of some cosines, shape ``(n,)``."""
    return float(np.sort(cosines)[-NEAREST:].mean())


class OffTopic:
    """Measures how near questions are to off-topic examples. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        self._examples = Examples(off_topic_examples(), cache)

    def similarity(self, question: Vectors, embedder: Embedder) -> float:
        """Return the mean cosine of a question's vector, shape ``(dims,)``, with its nearest examples.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        return nearest_mean(self._examples.cosines(question, embedder))

    def mean(self, embedder: Embedder) -> Vectors:
        """Return the mean of the examples' vectors, shape ``(dims,)``: a question without a subject.

        Raises as :meth:`similarity`.
        """
        return self._examples.mean(embedder)


@cache
def off_topic_examples() -> tuple[str, ...]:
    """Return the off-topic examples in all languages."""
    folder = files("app.search").joinpath("off_topic_examples")
    return tuple(line for each in folder.iterdir() for line in each.read_text("utf-8").splitlines() if line)
