"""The outcome of a question follows from its answer, the rating and what the visitor did next."""

from typing import Any, get_args

import pytest

from app.chat.events import Status
from app.chat.outcomes import OUTCOMES, Outcome, outcome_of


@pytest.mark.parametrize(
    ("document", "outcome"),
    [
        ({"status": "answered"}, "answered"),
        ({"status": "extractive", "certainty": "sure"}, "answered"),
        ({"status": "extractive", "certainty": "near"}, "doubtful"),
        ({"status": "answered", "certainty": "near"}, "doubtful"),
        ({"status": "extractive", "certainty": "sure", "absent_words": ["casino"]}, "doubtful"),
        ({"status": "partly"}, "doubtful"),
        ({"status": "unverified"}, "doubtful"),
        ({"status": "interrupted"}, "unfinished"),
        ({"status": "interrupted", "degraded": ["model_unavailable"]}, "doubtful"),
        ({"status": "no_answer", "certainty": "none"}, "unanswered"),
        ({"status": "failed"}, "unanswered"),
        ({"status": "of a later version"}, "unanswered"),
        ({"status": "greeting"}, "other"),
        ({"status": "out_of_scope"}, "other"),
        ({"status": "out_of_scope", "mode": "semantic"}, "unanswered"),
        ({"status": "extractive", "certainty": "sure", "asks_back": True}, "other"),
        ({"status": "extractive", "certainty": "near", "asks_back": True}, "doubtful"),
    ],
)
def test_an_answer_tells_its_outcome(document: dict[str, Any], outcome: Outcome) -> None:
    assert outcome_of(document) == outcome


@pytest.mark.parametrize(
    ("status", "rating", "reaction", "outcome"),
    [
        ("answered", "down", "", "doubtful"),
        ("partly", "down", "", "unanswered"),
        ("no_answer", "down", "", "unanswered"),
        ("greeting", "down", "", "doubtful"),
        ("greeting", "", "handed_over", "other"),
        ("answered", "", "asked_again", "doubtful"),
        ("partly", "", "handed_over", "unanswered"),
        ("answered", "down", "asked_again", "doubtful"),
        ("partly", "up", "", "answered"),
        ("partly", "up", "asked_again", "answered"),
        ("no_answer", "up", "", "unanswered"),
        ("interrupted", "down", "asked_again", "unfinished"),
    ],
)
def test_what_the_visitor_says_and_does_counts_too(
    status: str, rating: Any, reaction: Any, outcome: Outcome
) -> None:
    assert outcome_of({"status": status}, rating, reaction) == outcome


@pytest.mark.parametrize("status", get_args(Status))
def test_a_complaint_never_makes_an_answer_look_better(status: str) -> None:
    order = ["answered", "doubtful", "unanswered"]
    before, after = outcome_of({"status": status}), outcome_of({"status": status}, "down", "handed_over")
    assert {before, after} <= set(OUTCOMES)
    if before in order:
        assert order.index(after) >= order.index(before)
