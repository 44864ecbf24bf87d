"""The nearness of questions in meaning, by the bundled embedder."""

from functools import cache

from app.features.asking_back.generality import Generality
from app.indexing.embedders import QuestionEmbedder
from app.presets.collection import Presets
from app.search.examples import QuestionExamples, Texts
from ingest import registry
from ingest.vectors import MemoryVectorCache


def similarity(question: str, texts: Texts) -> list[float]:
    assert isinstance(texts, QuestionExamples)
    embedder = _embedder()
    vector = embedder.embed_query(question)
    relevance = Presets().load("default").thresholds(embedder.recipe).relevance
    return [relevance(float(cosine)) for cosine in texts.cosines(vector, embedder)]


@cache
def embedded() -> Generality:
    """The examples, embedded."""
    made = Generality(MemoryVectorCache())
    made.examples.embed(_embedder())
    return made


@cache
def _embedder() -> QuestionEmbedder:
    return QuestionEmbedder(registry.create("embedders", "e5"))
