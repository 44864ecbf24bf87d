"""How near questions are in meaning, by the bundled embedder."""

from collections.abc import Sequence
from functools import cache

from app.indexing.embedders import QuestionEmbedder
from app.presets.collection import Presets
from ingest import registry


def similarity(question: str, texts: Sequence[str]) -> list[float]:
    embedder = _embedder()
    vector = embedder.embed_query(question)
    relevance = Presets().load("default").thresholds(embedder.recipe).relevance
    return [relevance(float(embedder.embed_query(text) @ vector)) for text in texts]


@cache
def _embedder() -> QuestionEmbedder:
    return QuestionEmbedder(registry.create("embedders", "e5"))
