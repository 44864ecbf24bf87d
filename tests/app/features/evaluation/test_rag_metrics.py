"""The six metrics, against examples that were computed by hand."""

import numpy as np
import pytest

from app.features.evaluation import rag_metrics


@pytest.mark.parametrize(
    ("relevant", "value"),
    [
        ([True, False, True], (1 / 1 + 2 / 3) / 2),
        ([False, True], 1 / 2),
        ([True, True, False], 1.0),
        ([False, False], 0.0),
        ([], None),
    ],
)
def test_context_precision_is_the_mean_precision_at_the_relevant_positions(
    relevant: list[bool], value: float | None
) -> None:
    assert rag_metrics.context_precision(relevant) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    "metric", [rag_metrics.context_recall, rag_metrics.context_relevancy, rag_metrics.faithfulness]
)
def test_recall_relevancy_and_faithfulness_are_shares(metric: rag_metrics.Share) -> None:
    assert metric([True, True, False]) == pytest.approx(2 / 3)
    assert metric([False]) == 0.0
    assert metric([]) is None


def test_answer_relevancy_is_the_mean_cosine_with_the_generated_questions() -> None:
    question = np.array([1.0, 0.0])
    generated = np.array([[2.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    assert rag_metrics.answer_relevancy(question, generated) == pytest.approx((1 + 0.6 + 0) / 3)
    assert rag_metrics.answer_relevancy(question, np.array([[-1.0, 0.0]])) == 0.0
    assert rag_metrics.answer_relevancy(question, np.zeros((0, 2))) is None


def test_facts_are_scored_by_f1() -> None:
    assert rag_metrics.facts_score(2, 1, 1) == pytest.approx(2 / 3)
    assert rag_metrics.facts_score(0, 2, 1) == 0.0
    assert rag_metrics.facts_score(0, 0, 0) is None


def test_answer_correctness_weighs_facts_three_times_as_much_as_the_cosine() -> None:
    assert rag_metrics.answer_correctness(0.8, 0.4) == pytest.approx(0.75 * 0.8 + 0.25 * 0.4)
    assert rag_metrics.answer_correctness(1.0, 1.2) == 1.0
    assert rag_metrics.answer_correctness(None, 0.9) is None


def test_a_vector_without_length_is_like_nothing() -> None:
    assert rag_metrics.cosine(np.zeros(2), np.array([1.0, 0.0])) == 0.0
