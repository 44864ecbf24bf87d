"""Proposed thresholds tell absent words from those that pages say otherwise, for any embedder's cosines."""

from app.features.evaluation.word_calibration import (
    HEDGED,
    LEAST_QUESTIONS,
    MeasuredWord,
    measured_word,
    propose_word_thresholds,
)
from app.presets import Thresholds
from app.search.absent_words import is_absent

DEFAULTS = Thresholds(base=0.0, name=0, title=0, description=0, keywords=0, content=0)


def word(
    without: float = 0.7, explained: float = 0.0, nearest: float = 0.4, *, is_compound: bool = False
) -> MeasuredWord:
    return MeasuredWord(
        without=without, explained=explained, nearest=nearest, is_compound=is_compound, is_part=False
    )


ABSENT = [(word(),)] * LEAST_QUESTIONS


def test_words_that_the_defaults_tell_leave_them_nearly_as_they_are() -> None:
    proposed = propose_word_thresholds([(word(without=0.99),)] * 20, ABSENT, DEFAULTS)
    assert proposed is not None
    assert (proposed.flagged_answerable, proposed.flagged_unanswerable) == (0, 1)
    assert abs(proposed.thresholds["carrying"] - DEFAULTS.carrying) < 0.02
    assert abs(proposed.thresholds["same"] - DEFAULTS.same) < 0.02


def test_an_embedder_whose_synonyms_are_farther_apart_gets_a_lower_threshold() -> None:
    synonyms = [(word(nearest=0.56),)] * 20
    proposed = propose_word_thresholds(synonyms, [(word(nearest=0.45),)] * LEAST_QUESTIONS, DEFAULTS)
    assert proposed is not None
    assert (proposed.flagged_answerable, proposed.flagged_unanswerable) == (0, 1)
    assert 0.45 < proposed.thresholds["same"] <= 0.56


def test_no_more_answerable_questions_are_hedged_than_may_be() -> None:
    alike = [(word(),)] * 20
    proposed = propose_word_thresholds(alike, ABSENT, DEFAULTS)
    assert proposed is not None
    assert proposed.flagged_answerable <= HEDGED


def test_cosines_are_read_above_those_of_unrelated_text() -> None:
    measured = DEFAULTS.model_copy(update={"base": 0.75})
    own = measured_word(word(without=0.8, nearest=0.4), measured)
    assert (round(own.without, 2), round(own.nearest, 2)) == (0.95, 0.85)
    proposed = propose_word_thresholds([(word(without=0.999),)] * 20, [(own,)] * LEAST_QUESTIONS, measured)
    assert proposed is not None
    assert is_absent(word(without=0.8, nearest=0.4), measured.model_copy(update=dict(proposed.thresholds)))
    assert proposed.flagged_unanswerable == 1


def test_too_few_questions_with_such_words_propose_nothing() -> None:
    assert propose_word_thresholds([(word(without=0.99),)] * 20, ABSENT[1:], DEFAULTS) is None
    assert propose_word_thresholds([()] * 20, ABSENT, DEFAULTS) is None
