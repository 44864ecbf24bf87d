"""Proposes an embedder's thresholds from a pool and what the index finds for its questions. Pure functions.

* ``base``: the content cosine that 95 in 100 pages that are not gold exceed
* ``content``: the highest at which each question keeps its best gold page
* titles, descriptions, names and keywords: 99 in 100 pages that are not gold lie below
* ``answer``: the score that at most ``LOST`` of the answerable questions miss
* thresholds of absent words: :mod:`app.features.evaluation.word_calibration`
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from app.errors import PoolError
from app.features.evaluation.word_calibration import MeasuredWord, WordCalibration, propose_word_thresholds
from app.presets import Thresholds
from app.search.certainty import answer_score
from app.search.fusion import relevance_score
from ingest.types import FieldName

LOST: Final = 0.01
"""The share of answerable questions that a proposed ``answer`` may lose."""

LEAST_QUESTIONS: Final = 20
"""A proposal needs this many answerable questions."""

SHORT_FIELDS: Final[tuple[FieldName, ...]] = ("name", "title", "description", "keywords")
_BASE_PERCENTILE: Final = 5
_OTHERS_PERCENTILE: Final = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page found for a question. ``similarity``: the cosines of its fields; ``added``: what is added to
    these and to the coverage across languages (``Candidate.added``)."""

    is_gold: bool
    similarity: Mapping[FieldName, float]
    added: Mapping[str, float]
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The pages found for one question. ``off_topic``: its cosine to off-topic questions. ``words``: its
    words that no page has and that may carry the question."""

    is_answerable: bool
    pages: tuple[FoundPage, ...]
    off_topic: float
    words: tuple[MeasuredWord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Proposed thresholds, and their effect on the pool's questions.

    ``lost``: the share of answerable questions that would be refused. ``refused``: the same of unanswerable
    ones; ``auc``: how often an answerable question scores higher than an unanswerable one; both ``None``
    without unanswerable questions. ``words``: the proposal for absent words, also part of ``thresholds``;
    ``None`` if too few questions have such words.
    """

    thresholds: Thresholds
    lost: float
    refused: float | None
    auc: float | None
    words: WordCalibration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Values of right and of wrong hits, and the threshold between them. ``name``: the field whose cosines
    they are; for ``answer``, they are the scores of answerable and of unanswerable questions."""

    name: FieldName | Literal["answer"]
    threshold: float
    right: npt.NDArray[np.float64]
    wrong: npt.NDArray[np.float64]

    @property
    def lost(self) -> float | None:
        """The share of right values below the threshold; ``None`` if there are no right values."""
        return float((self.right < self.threshold).mean()) if self.right.size else None

    @property
    def kept(self) -> float | None:
        """The share of wrong values not below the threshold; ``None`` if there are no wrong values."""
        return float((self.wrong >= self.threshold).mean()) if self.wrong.size else None


def distributions(observations: Sequence[Observation], thresholds: Thresholds) -> list[Distribution]:
    """Return the values behind the thresholds, for each field that was found at all and for the answer."""
    fields = [
        Distribution(
            name=field,
            threshold=getattr(thresholds, field),
            right=np.array(_cosines(observations, field, is_gold=True)),
            wrong=np.array(_cosines(observations, field, is_gold=False)),
        )
        for field in ("content", *SHORT_FIELDS)
    ]
    answer = Distribution(
        name="answer",
        threshold=thresholds.answer,
        right=_scores([each for each in observations if each.is_answerable], thresholds),
        wrong=_scores([each for each in observations if not each.is_answerable], thresholds),
    )
    return [each for each in (*fields, answer) if each.right.size or each.wrong.size]


def propose(observations: Sequence[Observation]) -> Calibration:
    """Propose thresholds. Raises ``PoolError`` if the pool has too few answerable questions."""
    answerable = [each for each in observations if each.is_answerable]
    if len(answerable) < LEAST_QUESTIONS:
        raise PoolError(
            "the pool has {count} answerable questions of three words and more: {least} or more are needed",
            count=len(answerable),
            least=LEAST_QUESTIONS,
        )
    cosines = _without_answer(observations)
    own = _scores(answerable, cosines)
    others = _scores([each for each in observations if not each.is_answerable], cosines)
    answer = _rounded_down(float(np.quantile(own, LOST, method="lower")))
    words = propose_word_thresholds(
        [each.words for each in answerable],
        [each.words for each in observations if not each.is_answerable],
        cosines,
    )
    update = {"answer": max(answer, 0.0)} | dict(words.thresholds if words else {})
    return Calibration(
        thresholds=cosines.model_copy(update=update),
        words=words,
        lost=float((own < answer).mean()),
        refused=float((others < answer).mean()) if others.size else None,
        auc=float((own[:, None] > others[None, :]).mean()) if others.size else None,
    )


def _without_answer(observations: Sequence[Observation]) -> Thresholds:
    """Return the thresholds of cosines; the others have their defaults."""
    gold = [
        max(page.similarity["content"] for page in found)
        for each in observations
        if (found := [page for page in each.pages if page.is_gold and "content" in page.similarity])
    ]
    content = _others(observations, "content")
    base = _rounded_down(max(0.0, float(np.percentile(content, _BASE_PERCENTILE)))) if content else 0.0
    short = {
        field: _rounded_down(float(np.percentile(found, _OTHERS_PERCENTILE))) if found else base
        for field in SHORT_FIELDS
        for found in [_others(observations, field)]
    }
    return Thresholds(base=base, content=_rounded_down(min(gold)) if gold else base, **short)


def _others(observations: Sequence[Observation], field: FieldName) -> list[float]:
    """Return the field's cosines of all pages that are not gold."""
    return _cosines(observations, field, is_gold=False)


def _cosines(observations: Sequence[Observation], field: FieldName, *, is_gold: bool) -> list[float]:
    """Return the field's cosines of all pages that are gold, or of all that are not."""
    return [
        page.similarity[field]
        for each in observations
        for page in each.pages
        if page.is_gold == is_gold and field in page.similarity
    ]


def _scores(observations: Sequence[Observation], thresholds: Thresholds) -> npt.NDArray[np.float64]:
    """Return the score of each question."""

    def best(pages: Sequence[FoundPage]) -> float:
        return max((score(page) for page in pages), default=0.0)

    def score(page: FoundPage) -> float:
        return relevance_score(page.similarity, page.added, page.coverage, thresholds)

    return np.array(
        [answer_score(best(each.pages), thresholds.relevance(each.off_topic)) for each in observations]
    )


def _rounded_down(value: float) -> float:
    return math.floor(value * 100) / 100
