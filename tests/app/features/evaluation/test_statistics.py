"""Intervals and p-values against what can be worked out by hand."""

from collections.abc import Sequence
from math import comb

import numpy as np
import pytest

from app.features.evaluation.metrics import Score, Scores
from app.features.evaluation.statistics import EXACT_QUESTIONS, RESAMPLES, differences, estimates


def scores(values: Sequence[float | None], figure: str = "hit") -> list[Scores]:
    """A question for each value; ``None`` does not count."""
    return [{} if value is None else {figure: Score(value)} for value in values]


def test_a_figure_is_the_mean_of_the_questions_that_count() -> None:
    [estimate] = estimates(scores([1, 0, None, 1, 1])).values()
    assert (estimate.value, estimate.count) == (0.75, 4)


def test_the_interval_of_a_share_is_that_of_the_binomial_distribution() -> None:
    """A resample of n questions of which a share is right has a binomial number of right ones."""
    questions, right = 40, 30
    [estimate] = estimates(scores([1] * right + [0] * (questions - right))).values()
    chances = [comb(questions, k) * 0.75**k * 0.25 ** (questions - k) for k in range(questions + 1)]
    reached = np.cumsum(chances)
    exact = [np.searchsorted(reached, tail) / questions for tail in (0.025, 0.975)]
    assert estimate.low == pytest.approx(exact[0], abs=1 / questions)
    assert estimate.high == pytest.approx(exact[1], abs=1 / questions)


def test_the_interval_of_two_questions_reaches_from_one_to_the_other() -> None:
    """Each of them is drawn twice in a quarter of the resamples."""
    [estimate] = estimates(scores([0.2, 0.6])).values()
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.4, 0.2, 0.6))


def test_a_figure_that_one_question_counts_for_has_no_interval() -> None:
    [estimate] = estimates(scores([None, 1, None])).values()
    assert (estimate.value, estimate.low, estimate.high, estimate.count) == (1.0, None, None, 1)


def test_questions_with_many_links_weigh_more() -> None:
    [estimate] = estimates([{"links": Score(3, 3)}, {"links": Score(0, 1)}]).values()
    assert estimate.value == 0.75
    assert (estimate.low, estimate.high) == (0.0, 1.0)


def test_equal_results_give_equal_numbers_whatever_else_is_measured() -> None:
    first = scores([1, 0, 1, 1, 0, 1, 0.5])
    more = [{**each, "other": Score(n)} for n, each in enumerate(first)]
    assert estimates(first)["hit"] == estimates(first)["hit"] == estimates(more)["hit"]


def test_nothing_is_estimated_where_no_question_counts() -> None:
    assert estimates([]) == estimates([{}, {}]) == {}
    assert differences([], []) == differences(scores([1]), [{}]) == {}


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        # Of 2 ** 3 exchanges those of all and of none make a difference of 3 / 4.
        ([0, 0, 0, 1], [1, 1, 1, 1], 2 / 8),
        # Of 2 ** 5 those that leave all five on one side.
        ([0] * 5, [1] * 5, 2 / 32),
        # Two won and one lost: of 2 ** 3 sums of +-1 all reach 1.
        ([0, 0, 1], [1, 1, 0], 1.0),
        # Three won and one lost: |sum| >= 2 in 10 of 16.
        ([0, 0, 0, 1], [1, 1, 1, 0], 10 / 16),
        ([0.5, 0.25], [0.5, 0.25], 1.0),
    ],
)
def test_the_p_value_is_the_share_of_exchanges_with_as_great_a_difference(
    first: list[float], second: list[float], p: float
) -> None:
    [found] = differences(scores(first), scores(second)).values()
    assert found.p == pytest.approx(p)
    assert found.value == pytest.approx(np.mean(second) - np.mean(first))


def test_many_exchanges_are_drawn_at_random_and_agree_with_all_of_them() -> None:
    """20 questions, 15 won and 5 lost: |sum of 20 signs| >= 10, the sign test, 2 * P(X >= 15)."""
    first, second = [0] * 15 + [1] * 5, [1] * 15 + [0] * 5
    assert len(first) > EXACT_QUESTIONS
    [found] = differences(scores(first), scores(second)).values()
    exact = 2 * sum(comb(20, k) for k in range(15, 21)) / 2**20
    assert found.p == pytest.approx(exact, abs=4 * (exact / RESAMPLES) ** 0.5)


def test_the_interval_of_a_difference_is_that_of_pairs() -> None:
    """Every question is better by .1, so every resample is, though the figures themselves vary."""
    first = [0.0, 0.3, 0.5, 0.9, 0.2]
    [found] = differences(scores(first), scores([each + 0.1 for each in first])).values()
    assert (found.value, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    [estimate] = estimates(scores(first)).values()
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.high - estimate.low > 0.3


def test_a_figure_counted_for_other_questions_by_each_is_compared_over_what_counts() -> None:
    """Refusals: the first run refuses two questions, one rightly; the second one, rightly."""
    first, second = scores([1, 0, None]), scores([1, None, None])
    [found] = differences(first, second).values()
    assert (found.value, found.low, found.high) == (0.5, None, None)
    # Exchanging the second question alone makes -.5, which is as great.
    assert found.p == 1.0
