"""Texts that are near every question lose a share of that."""

import pytest

from app.search.generality import LEAST_TEXTS, SHARE, generality

HALF = LEAST_TEXTS // 2
NEARNESS = [0.88] * HALF + [0.80] * HALF
LESS = [SHARE * 0.04] * HALF + [-SHARE * 0.04] * HALF


def test_a_text_loses_a_share_of_what_it_is_nearer_to_any_question_than_the_others() -> None:
    assert generality(NEARNESS, ["en"] * LEAST_TEXTS) == pytest.approx(LESS)


def test_texts_are_compared_with_those_of_their_language() -> None:
    less = generality([*NEARNESS, *[0.70] * LEAST_TEXTS], ["en"] * LEAST_TEXTS + ["de"] * LEAST_TEXTS)
    assert less == pytest.approx([*LESS, *[0.0] * LEAST_TEXTS])


def test_a_few_texts_do_not_show_how_near_texts_usually_are() -> None:
    assert generality([0.88, 0.80], ["en", "en"]) == [0.0, 0.0]


def test_without_texts_there_is_nothing_to_take() -> None:
    assert generality([], []) == []
