"""Embeds texts with a cache.

Each batch is cached at once, so that a long page that was interrupted continues where it stopped. A batch
takes the embedder about a second, and a command that is stopped has to wait for it: no call can be aborted.
"""

from collections.abc import Callable, Iterable, Sequence

from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors
from ingest.vectors import valid_rows


class CachedEmbedder:
    """Embeds the texts that the cache lacks. Raises ``EmbedderUnavailableError``."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._recipe = recipe_hash(embedder_recipe(embedder))

    @property
    def dims(self) -> int:
        """The length of every vector."""
        return self._embedder.dims

    def vectors(
        self,
        texts: Iterable[str],
        progress: Callable[[int, int], None] = lambda _embedded, _texts: None,
    ) -> dict[str, Vectors]:
        """Return each text's vector, shape ``(dims,)``, by its hash.

        ``progress`` is called with the number of embedded texts and that of all: first after the look into
        the cache, then after every batch.
        """
        by_hash = {text_hash(text): text for text in texts}
        vectors = self.known(list(by_hash))
        progress(len(vectors), len(by_hash))
        missing = [(key, text) for key, text in by_hash.items() if key not in vectors]
        missing.sort(key=lambda item: len(item[1]))  # texts of similar length need little padding
        size = self._embedder.batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            rows = self._embedder.embed_documents([text for _, text in batch])
            fresh = {key: row for (key, _), row in zip(batch, rows, strict=True)}
            self._cache.put(self._recipe, fresh)
            vectors.update(fresh)
            progress(len(vectors), len(by_hash))
        return vectors

    def known(self, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the cached vectors, by hash; damaged ones are deleted from the cache."""
        found = self._cache.get(self._recipe, hashes)
        shape = (self._embedder.dims,)
        damaged = [
            key
            for key, vector in found.items()
            if vector.shape != shape or not valid_rows(vector[None]).all()
        ]
        if damaged:
            self._cache.discard(self._recipe, damaged)
        return {key: found[key] for key in found.keys() - damaged}
