"""Runs compared question by question."""

import pytest

from app.errors import PoolError
from app.features.evaluation.comparison import compare
from tests.app.features.evaluation.results import result, run


def test_each_run_is_compared_with_the_first() -> None:
    first = run("a", *(result(name, "b") for name in "stuvw"))
    second = run("b", *(result(name, "a") for name in "stuvw"))
    third = run("c", *(result(name, "b") for name in "stuvw"))
    found = compare([first, second, third])
    assert [(pair.first.label, pair.second.label) for pair in found.pairs] == [("a", "b"), ("a", "c")]
    better, same = (pair.differences["hit@1"] for pair in found.pairs)
    assert (better.value, better.p) == (1.0, 2 / 32)
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert found.pairs[0].differences["1-recall@20"].value == -1
    assert found.pairs[1].changed == ()


def test_changed_questions_are_won_lost_or_both() -> None:
    before = [
        result("won", "ba"),
        result("lost", "a"),
        result("answered now", "a", right=False),
        result("farther, but right", "a", right=False),
        result("refused now", "b", ""),
        result("made up now", "", ""),
        result("same", "cba"),
    ]
    after = [
        result("won", "a"),
        result("lost", ""),
        result("answered now", "a", right=True),
        result("farther, but right", "ba", right=True),
        result("refused now", "", ""),
        result("made up now", "b", ""),
        result("same", "bca"),
    ]
    [pair] = compare([run("a", *before), run("b", *after)]).pairs
    named = {outcome: [each.first.id for each in pair.of(outcome)] for outcome in ("won", "mixed", "lost")}
    assert named == {
        "won": ["won", "answered now", "refused now"],
        "mixed": ["farther, but right"],
        "lost": ["lost", "made up now"],
    }
    assert [each.outcome for each in pair.changed] == ["won"] * 3 + ["mixed"] + ["lost"] * 2


def test_only_questions_that_all_runs_have_are_compared() -> None:
    first = run("a", result("x", "a"), result("y", "a"), result("gold changed", "a", "a"))
    second = run("b", result("y", "a"), result("gold changed", "a", "ab"), result("z", "b"))
    found = compare([first, second])
    assert [[each.id for each in each.results] for each in found.runs] == [["y"], ["y"]]
    assert (found.questions, found.left_out) == (1, (2, 2))


def test_runs_without_a_common_question_are_refused() -> None:
    with pytest.raises(PoolError, match="no question with the same gold in common"):
        compare([run("a", result("x", "a")), run("b", result("y", "a"))])
