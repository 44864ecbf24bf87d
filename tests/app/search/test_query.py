"""Which pages are ranked at all."""

import pytest

from app.presets.collection import Presets
from app.search.query import qualifies
from tests.app.search.test_levelling import candidate

PRESET = Presets(None).load("default")
E5 = PRESET.thresholds({"name": "e5", "dims": 384})


@pytest.mark.parametrize(
    ("cosine", "own", "foreign"), [(0.80, True, True), (0.77, False, True), (0.74, False, False)]
)
def test_a_page_may_be_farther_from_a_question_in_a_language_that_no_page_has(
    cosine: float, own: bool, foreign: bool
) -> None:
    assert qualifies(candidate("de", cosine), PRESET.question, E5, is_foreign=False) == own
    assert qualifies(candidate("de", cosine), PRESET.question, E5, is_foreign=True) == foreign


def test_it_may_not_where_no_score_tells_answers_from_others_afterwards() -> None:
    unmeasured = E5.model_copy(update={"answer": 0.0})
    assert not qualifies(candidate("de", 0.77), PRESET.question, unmeasured, is_foreign=True)


def test_a_page_with_enough_of_the_words_is_ranked_however_far_it_is() -> None:
    assert qualifies(candidate("de", 0.1, coverage=0.3), PRESET.question, E5, is_foreign=False)
