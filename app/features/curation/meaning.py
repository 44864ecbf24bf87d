"""Vectors of questions, by the embedder of the pages that are searched.

Phrasings are embedded as questions, because some embedders treat pages differently. The cache stores their
vectors under the embedder's recipe, so vectors of another embedder are kept apart.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from app.errors import EmbedderUnavailableError, IndexUnavailableError, PluginError, SettingsError
from app.presets import Preset, Thresholds
from app.search.examples import QuestionDocuments
from app.search.index import SearchIndex, live_generation
from app.search.query import passage_query
from app.search.types import Generation
from ingest.embedding import CachedEmbedder
from ingest.fingerprints import recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSpace:
    """Compares questions by one embedder, with a preset's ``thresholds`` for its cosines. ``key``: of the
    embedder's recipe."""

    embedder: QuestionDocuments
    thresholds: Thresholds
    key: str
    cache: VectorCache

    def vector(self, question: str) -> Vectors:
        """Return a question's vector, shape ``(dims,)``. Raises ``EmbedderUnavailableError``."""
        return self.embedder.embed_query(question)

    def passage_vector(self, question: str) -> Vectors:
        """Return the vector of a question that passages are compared with, shape ``(dims,)``. Raises
        ``EmbedderUnavailableError``."""
        return passage_query(question, self.embedder.embedder)

    def known(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """Return the cached vectors, by text. Raises ``PageStoreUnavailableError``."""
        hashes = {text_hash(text): text for text in texts}
        shape = (self.embedder.dims,)
        found = self.cache.get(self.key, list(hashes))
        return {hashes[key]: vector for key, vector in found.items() if vector.shape == shape}

    def embedded(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors of all texts, and cache those that were missing.

        Raises ``EmbedderUnavailableError`` and ``PageStoreUnavailableError``.
        """
        texts = list(texts)
        vectors = CachedEmbedder(self.embedder, self.cache).vectors(texts)
        return {text: vectors[text_hash(text)] for text in texts}


@dataclass(kw_only=True, eq=False)
class QuestionSpaces:
    """Makes the question space of a preset. ``embedder_of``: of a generation; ``owner``: the page store's
    id."""

    index: Callable[[], SearchIndex]
    embedder_of: Callable[[Generation], Embedder]
    cache: VectorCache
    owner: Callable[[], str]

    def of(self, preset: Preset) -> QuestionSpace | None:
        """Return the space, or ``None`` if nothing can be embedded now. Raises
        ``PageStoreUnavailableError``."""
        try:
            live = live_generation(self.index(), self.owner())
            embedder = QuestionDocuments(self.embedder_of(live))
            thresholds = preset.thresholds(live.recipe.embedder)
        except (EmbedderUnavailableError, IndexUnavailableError, PluginError, SettingsError) as error:
            log.warning("meaning_unknown", message=str(error))
            return None
        key = recipe_hash(embedder.recipe)
        return QuestionSpace(embedder=embedder, thresholds=thresholds, key=key, cache=self.cache)
