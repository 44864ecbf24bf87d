"""Proposed thresholds keep what answers and refuse what can be told apart."""

import pytest

from app.errors import PoolError
from app.features.evaluation.calibration import LEAST_QUESTIONS, FoundPage, Observation, propose
from ingest.types import FieldName


def found(cosine: float, *, gold: bool = False, title: float = 0.3, coverage: float = 0.0) -> FoundPage:
    similarity: dict[FieldName, float] = {"content": cosine, "title": title}
    return FoundPage(is_gold=gold, similarity=similarity, added={}, coverage=coverage)


def answerable(cosine: float, coverage: float = 0.5) -> Observation:
    pages = (found(cosine, gold=True, title=0.7, coverage=coverage), *OTHERS)
    return Observation(is_answerable=True, pages=pages, off_topic=0.2)


def small_talk(off_topic: float = 0.9) -> Observation:
    return Observation(is_answerable=False, pages=OTHERS, off_topic=off_topic)


OTHERS = tuple(found(0.2 + number / 1000, title=0.2 + number / 500) for number in range(101))
QUESTIONS = [answerable(0.6 + number / 100) for number in range(LEAST_QUESTIONS)]


def test_the_cosines_are_told_from_those_of_other_pages() -> None:
    thresholds = propose(QUESTIONS).thresholds
    assert thresholds.base == 0.20  # 5 in 100 of 0.2 to 0.3 lie below 0.205
    assert thresholds.content == 0.6
    assert thresholds.title == 0.39  # 99 in 100 of 0.2 to 0.4 lie below 0.398
    assert thresholds.name == thresholds.base


def test_no_more_than_one_in_a_hundred_answerable_questions_is_lost() -> None:
    proposed = propose([*QUESTIONS, small_talk()])
    assert (proposed.lost, proposed.refused, proposed.auc) == (0.0, 1.0, 1.0)
    hard = [answerable(0.6, coverage=-1.0), *(answerable(0.6) for _ in range(199))]
    assert propose([*hard, small_talk()]).lost == 1 / 200


def test_what_looks_like_small_talk_needs_a_better_page() -> None:
    proposed = propose([*QUESTIONS, small_talk(0.9), small_talk(0.2)])
    assert proposed.refused is not None
    assert proposed.refused >= 0.5


def test_a_pool_without_other_questions_says_nothing_of_refusals() -> None:
    proposed = propose(QUESTIONS)
    assert (proposed.refused, proposed.auc) == (None, None)


def test_too_small_a_pool_is_refused() -> None:
    with pytest.raises(PoolError, match="19 answerable questions"):
        propose([*QUESTIONS[1:], small_talk()])
