"""One score per candidate from its cosines and its coverage. Pure functions.

Cosines of different models mean different things, so relevance is measured from the cosine that
unrelated text has in that model: ``rel(cos) = max(0, (cos - base) / (1 - base))``.
"""

from collections.abc import Callable, Mapping
from typing import Final

from app.presets import Ranking, Thresholds
from app.search.types import Candidate

SIDE_FIELD_WEIGHT: Final = 0.3

Score = Callable[[Candidate, Thresholds], float]


def relevance_sum(candidate: Candidate, thresholds: Thresholds) -> float:
    """``rel(content) + coverage + 0.3 (rel(title) + rel(description))``; a missing field counts 0."""
    similarity = candidate.similarity

    def relevance(cosine: float | None) -> float:
        return 0.0 if cosine is None else max(0.0, (cosine - thresholds.base) / (1 - thresholds.base))

    side = relevance(similarity.get("title")) + relevance(similarity.get("description"))
    return relevance(similarity.get("content")) + candidate.coverage + SIDE_FIELD_WEIGHT * side


def clause_sum(candidate: Candidate, thresholds: Thresholds) -> float:
    """Sum of ``(1 + cos) / 2`` over the kNN clauses that brought the page above their threshold."""
    return sum(
        (1 + cosine) / 2 for field, cosine in candidate.similarity.items() if thresholds.passes(field, cosine)
    )


SCORES: Final[Mapping[Ranking, Score]] = {"relevance_sum": relevance_sum, "clause_sum": clause_sum}
