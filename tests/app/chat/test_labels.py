"""What an answer says of itself."""

from datetime import date
from typing import get_args

import pytest

from app.chat.labels import describe, describe_time, visitor_sentences
from app.search.types import ANY_TIME, Degradation, TimeFilter

START, END = date(2009, 1, 1), date(2010, 1, 1)


@pytest.mark.parametrize("label", get_args(Degradation))
def test_every_label_has_a_sentence_in_both_languages(label: Degradation) -> None:
    assert describe(label, "de") != describe(label, "en")
    assert describe(label, "cy") == describe(label, "en")


def test_visitors_are_not_told_that_a_rephrased_question_was_not_used() -> None:
    assert visitor_sentences(["rephrase_rejected", "time_dropped"]) == [describe("time_dropped")]


@pytest.mark.parametrize(
    ("time", "sentence"),
    [
        (ANY_TIME, ""),
        (TimeFilter(at=START), "The law as of 2009-01-01."),
        (TimeFilter(published_from=START), "Only acts published since 2009-01-01."),
        (
            TimeFilter(at=END, published_before=END),
            "The law as of 2010-01-01. Only acts published before 2010-01-01.",
        ),
        (
            TimeFilter(published_from=START, published_before=END),
            "Only acts published from 2009-01-01 on and before 2010-01-01.",
        ),
    ],
)
def test_the_time_that_was_searched_is_said(time: TimeFilter, sentence: str) -> None:
    assert describe_time(time) == sentence


def test_the_time_is_said_in_german() -> None:
    assert describe_time(TimeFilter(at=START), "de") == "Rechtsstand 2009-01-01."
