"""A question as its embedder sees it."""

from dataclasses import dataclass

from app.presets import Thresholds
from ingest.protocols import Embedder
from ingest.types import Vectors


def knows_meaning(embedder: str) -> bool:
    """False for the embedder that compares letters (``hashing``), True for every other name."""
    return embedder != "hashing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A question's ``vector``, shape ``(dims,)``, with the ``embedder`` that made it and the ``thresholds``
    of its cosines."""

    vector: Vectors
    embedder: Embedder
    thresholds: Thresholds

    def of(self, text: str) -> "Meaning":
        """The meaning of another question. Raises ``EmbedderUnavailableError``."""
        vector = self.embedder.embed_query(text)
        return Meaning(vector=vector, embedder=self.embedder, thresholds=self.thresholds)

    def relevance(self, vector: Vectors) -> float:
        """The relevance of another vector to it (:meth:`app.presets.Thresholds.relevance`)."""
        return self.thresholds.relevance(float(vector @ self.vector))
