"""Weights are learned from some questions and measured on others."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import learned_order
from benchmarks.order_features import FEATURES, Candidates, read, write
from benchmarks.order_weights import Choice, folds, interval, learned, rank, today

EVERY = tuple(range(len(FEATURES)))
NAME = FEATURES.index("name")


def candidates(number: int, gold_name: float, about: Sequence[str] = ()) -> Candidates:
    """A question whose gold page is a little behind by content, and has this relevance of its name."""
    features = np.zeros((3, len(FEATURES)))
    features[:, 0] = (0.5, 0.45, 0.1)
    features[1, NAME] = gold_name
    return Candidates(
        pool="pool",
        language="en",
        question=str(number),
        about=tuple(about) or (str(number),),
        features=features,
        gold=np.array([False, True, False]),
        units=np.array([0, 1, 2]),
    )


def test_a_feature_that_tells_gold_pages_gets_a_weight() -> None:
    questions = [candidates(number, gold_name=0.5) for number in range(20)]
    assert rank(questions[0], today()) == 2
    weights = learned(questions, Choice(features=EVERY, penalty=0.01))
    assert weights[NAME] > 0
    assert rank(questions[0], weights) == 1


def test_an_infinite_penalty_leaves_the_weights_of_today() -> None:
    questions = [candidates(number, gold_name=0.5) for number in range(20)]
    assert (learned(questions, Choice(features=EVERY, penalty=float("inf"))) == today()).all()


def test_a_feature_that_must_not_change_keeps_its_weight() -> None:
    questions = [candidates(number, gold_name=0.5) for number in range(20)]
    weights = learned(questions, Choice(features=(0,), penalty=0.01))
    assert weights[NAME] == 0


def test_questions_about_the_same_page_are_in_one_fold() -> None:
    questions = [
        candidates(number, 0.0, about=[f"page {number % 7}", f"page {number % 7 + 7}"])
        for number in range(35)
    ]
    fold = folds(questions, 5)
    assert all(len({fold[number] for number in range(first, 35, 7)}) == 1 for first in range(7))
    assert len(set(fold.tolist())) == 5


def test_texts_of_one_unit_count_once_in_a_rank() -> None:
    question = candidates(1, gold_name=0.0)
    question.features[2, 0] = 0.6
    question.units[2] = 0
    assert rank(question, today()) == 2


def test_a_question_without_gold_among_its_candidates_is_not_found() -> None:
    question = candidates(1, gold_name=0.0)
    question.gold[:] = False
    assert rank(question, today()) == float("inf")


def test_the_interval_of_equal_differences_is_that_difference() -> None:
    assert interval(np.full(10, 0.25)) == (0.25, 0.25)


def test_features_are_read_as_they_were_written(tmp_path: Path) -> None:
    question = candidates(1, gold_name=0.5)
    write(tmp_path / "features", [question])
    [found] = read(tmp_path / "features")
    assert (found.features == question.features).all()
    assert (found.gold == question.gold).all()
    assert found.about == question.about


@pytest.mark.parametrize("pools", [[], ["missing.jsonl=nowhere"]])
def test_without_any_pool_the_command_says_what_to_give(pools: list[str]) -> None:
    result = CliRunner().invoke(learned_order.main, pools)
    assert result.exit_code == 2
    assert "POOL.jsonl=DATA" in result.output


def test_the_command_prints_what_is_gained_on_unseen_questions(tmp_path: Path) -> None:
    cache = tmp_path / "features"
    write(cache, [candidates(number, gold_name=0.5) for number in range(15)])
    result = CliRunner().invoke(learned_order.main, ["--cache", str(cache)])
    assert result.exit_code == 0, result.output
    assert "pool en" in result.output
    assert "0.000 > 1.000" in result.output
