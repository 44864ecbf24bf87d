"""Six metrics of answers from sources, each in [0, 1]. Pure functions of what a judge found.

After "RAGAS: Automated Evaluation of Retrieval Augmented Generation" (Es, James, Espinosa-Anke, Schockaert,
2023, arXiv 2309.15217) and, where the paper has no such metric, the documentation of Ragas (docs.ragas.io,
"List of available metrics"). ``None``: nothing to measure.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

Metric = Literal[
    "context_precision",
    "context_recall",
    "context_relevancy",
    "faithfulness",
    "answer_relevancy",
    "answer_correctness",
]
METRICS: Final[tuple[Metric, ...]] = get_args(Metric)

FACTS_WEIGHT: Final = 0.75
SIMILARITY_WEIGHT: Final = 0.25
"""Weights of the two parts of answer correctness, as in Ragas."""

Share = Callable[[Sequence[bool]], float | None]
"""A metric that is the share of verdicts that are True."""

Vectors = npt.NDArray[np.floating]


def context_precision(relevant: Sequence[bool]) -> float | None:
    """The mean of precision@i over the positions i of the relevant passages: 1 if they are ranked first.

    Source: Ragas documentation, "Context Precision": sum(precision@k * v_k) / number of relevant ones.
    ``relevant``: for each passage in rank order, True if it helps to reach the reference answer. 0 if none
    does.
    """
    if not relevant:
        return None
    found = np.asarray(relevant, dtype=float)
    if not found.any():
        return 0.0
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    return float((precision * found).sum() / found.sum())


def context_recall(attributable: Sequence[bool]) -> float | None:
    """The share of the reference answer's sentences that can be attributed to the context.

    Source: Ragas documentation, "Context Recall".
    """
    return _share(attributable)


def context_relevancy(relevant: Sequence[bool]) -> float | None:
    """The share of the context's sentences that matter for the question.

    Source: arXiv 2309.15217, section 3, "Context relevance": extracted sentences / all sentences.
    """
    return _share(relevant)


def faithfulness(supported: Sequence[bool]) -> float | None:
    """The share of the answer's claims that follow from the context.

    Source: arXiv 2309.15217, section 3, "Faithfulness": F = |V| / |S|.
    """
    return _share(supported)


def answer_relevancy(question: Vectors, generated: Vectors) -> float | None:
    """The mean cosine of the question with questions that were generated from the answer; at least 0.

    Source: arXiv 2309.15217, section 3, "Answer relevance": AR = 1/n * sum(sim(q, q_i)).
    ``question``: a vector; ``generated``: one in each row.
    """
    if not len(generated):
        return None
    return max(0.0, float(np.mean([cosine(question, each) for each in generated])))


def facts_score(true_positives: int, false_positives: int, false_negatives: int) -> float | None:
    """F1 over facts: TP / (TP + 0.5 * (FP + FN)).

    Source: Ragas documentation, "Answer Correctness". TP: facts in answer and reference, FP: in the answer
    alone, FN: in the reference alone.
    """
    facts = true_positives + 0.5 * (false_positives + false_negatives)
    return true_positives / facts if facts else None


def answer_correctness(facts: float | None, similarity: float) -> float | None:
    """The weighted mean of F1 over facts and the cosine of answer and reference.

    Source: Ragas documentation, "Answer Correctness", with its weights of 0.75 and 0.25.
    """
    if facts is None:
        return None
    return FACTS_WEIGHT * facts + SIMILARITY_WEIGHT * min(1.0, max(0.0, similarity))


def cosine(one: Vectors, other: Vectors) -> float:
    """The cosine of two vectors; 0 if one has length 0."""
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / length if length else 0.0


def _share(verdicts: Sequence[bool]) -> float | None:
    return sum(verdicts) / len(verdicts) if verdicts else None
