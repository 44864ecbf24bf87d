"""Texts that are near every question lose a share of that."""

import pytest

from app.search.generality import SHARE, generality


def test_a_text_loses_a_share_of_what_it_is_nearer_to_any_question_than_the_others() -> None:
    assert generality([0.88, 0.80], ["en", "en"]) == pytest.approx([SHARE * 0.04, -SHARE * 0.04])


def test_texts_are_compared_with_those_of_their_language() -> None:
    less = generality([0.88, 0.80, 0.70], ["en", "en", "de"])
    assert less == pytest.approx([SHARE * 0.04, -SHARE * 0.04, 0.0])


def test_without_texts_there_is_nothing_to_take() -> None:
    assert generality([], []) == []
