"""Whether the best page answers, by its score and how far the question is from what websites are asked."""

import pytest

from app.presets import Thresholds
from app.search.block_reader import LIKELY
from app.search.certainty import (
    FOREIGN_UNLIKELY,
    SURELY,
    UNLIKELY,
    certainty,
    corrected_by_reader,
    needed_score,
)
from app.search.retrieval import Certainty

THRESHOLDS = Thresholds(
    base=0.75, name=0.86, title=0.85, description=0.85, keywords=0.86, content=0.78, answer=0.26
)


@pytest.mark.parametrize(
    ("score", "off_topic", "expected"),
    [(0.9, 0.2, "answered"), (0.37, 0.2, "near"), (0.3, 0.3, "far"), (0.4, 0.6, "far")],
)
def test_the_score_less_what_is_off_topic_decides(
    score: float, off_topic: float, expected: Certainty
) -> None:
    assert certainty(score, off_topic, THRESHOLDS) == expected


def test_a_question_in_a_language_that_no_page_has_needs_less_to_come_near() -> None:
    assert certainty(0.3, 0.25, THRESHOLDS) == "far"
    assert certainty(0.3, 0.25, THRESHOLDS, is_foreign=True) == "near"
    assert needed_score(THRESHOLDS, is_foreign=True) < needed_score(THRESHOLDS, is_foreign=False)


def test_small_talk_in_such_a_language_stays_far_and_no_answer_is_surer_for_it() -> None:
    assert certainty(0.4, 0.6, THRESHOLDS, is_foreign=True) == "far"
    assert certainty(0.3, 0.2, THRESHOLDS, is_foreign=True) == "near"
    assert certainty(0.35, 0.2, THRESHOLDS, is_foreign=True) == "answered"


def test_a_page_that_is_far_comes_near_by_a_paragraph_that_would_answer_but_small_talk_does_not() -> None:
    assert certainty(0.35, 0.27, THRESHOLDS, block=0.25) == "far"
    assert certainty(0.35, 0.27, THRESHOLDS, block=0.29) == "near"
    assert certainty(0.24, 0.38, THRESHOLDS, block=0.29) == "far"


def test_without_a_threshold_every_question_counts_as_answered() -> None:
    assert certainty(0.0, 1.0, THRESHOLDS.model_copy(update={"answer": 0.0})) == "answered"


@pytest.mark.parametrize(
    ("found", "answers", "read"),
    [
        ("answered", UNLIKELY - 0.01, "near"),
        ("answered", UNLIKELY, "answered"),
        ("near", LIKELY, "answered"),
        ("far", SURELY, "near"),
        ("far", SURELY - 0.01, "far"),
        ("near", LIKELY - 0.01, "near"),
        ("far", 0.0, "far"),
        ("far", None, "far"),
        ("answered", None, "answered"),
    ],
)
def test_what_was_read_makes_an_answer_sure_or_doubtful(
    found: Certainty, answers: float | None, read: Certainty
) -> None:
    assert corrected_by_reader(found, answers) == read


def test_what_is_asked_in_a_language_that_no_page_is_in_may_be_read_less_surely() -> None:
    assert corrected_by_reader("answered", UNLIKELY - 0.01, is_foreign=True) == "answered"
    assert corrected_by_reader("answered", FOREIGN_UNLIKELY - 0.01, is_foreign=True) == "near"


@pytest.mark.parametrize("found", ["answered", "near", "far"])
def test_on_law_what_was_read_decides_alone(found: Certainty) -> None:
    assert corrected_by_reader(found, LIKELY, is_law=True) == "answered"
    assert corrected_by_reader(found, LIKELY - 0.01, is_law=True) == "near"
    assert corrected_by_reader(found, None, is_law=True) == found
