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
    names_another_year,
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


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann öffnet das Bad 2028?", "Die Saison 2027 beginnt am 8. Mai."),
        ("Wie hoch war die Steuer 2024?", "Seit 1. Januar 2026: 72 Euro"),
        ("How cold was winter 2019/20?", "The winter of 2025/26 was cold."),
    ],
)
def test_a_page_with_other_years_than_the_question_is_told_from_one_with_the_same(
    question: str, text: str
) -> None:
    assert names_another_year(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann öffnet das Bad 2027?", "Die Saison 2027 beginnt am 8. Mai."),
        ("Wann öffnet das Bad?", "Die Saison 2027 beginnt am 8. Mai."),
        ("Wie hoch ist die Steuer 2028?", "Die Steuer beträgt 72 Euro."),
        ("Winter 2026", "Im Winter 2025/26 wird gestreut."),
        ("Kita-Jahr 2026/27", "Anmeldung für 2026/27 bis Januar"),
        ("What does 2016/679 say?", "Since 2018"),
    ],
)
def test_a_page_with_the_same_year_or_none_is_not(question: str, text: str) -> None:
    assert not names_another_year(question, text)
