"""Figures of the last days' answers, from their grades and visitors' ratings. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from app.chat.model.tokens import Tokens
from app.features.evaluation.grades import Grade, composite, mean
from app.features.evaluation.grading import used_tokens
from app.features.evaluation.live_grades import GradedAnswer
from app.features.evaluation.rubric import CRITERIA, Weights


@dataclass(frozen=True, slots=True)
class GradedVisit:
    """An answer and its grade."""

    answer: GradedAnswer
    grade: Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Counts of visitors' thumbs up and down."""

    up: int
    down: int

    @property
    def share_up(self) -> float | None:
        """The share of thumbs up, or ``None`` if there are no ratings."""
        return round(self.up / (self.up + self.down), 3) if self.up + self.down else None

    @classmethod
    def of(cls, visits: Sequence[GradedVisit]) -> "Ratings":
        """Count the ratings of answers."""
        counts = Counter(each.answer.rating for each in visits)
        return cls(up=counts["up"], down=counts["down"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DayQuality:
    """The answers of a day that one judge graded, with one prompt, scale and rubric. ``scores``: the mean of
    each criterion and the ``composite`` over the ``graded`` ones, on the ``scale``."""

    day: date
    judge: str
    scale: str
    graded: int
    ungraded: int
    scores: Mapping[str, float | None]
    ratings: Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreQuality:
    """The answers with one score of correctness."""

    score: float
    answers: int
    ratings: Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveQuality:
    """Figures of several days, in their order. ``by_score`` and ``worst``, the lowest composite first, cover
    only the grades of the last judge, prompt, scale and rubric. ``reasons``: why answers are ungraded."""

    days: tuple[DayQuality, ...]
    by_score: tuple[ScoreQuality, ...]
    reasons: Mapping[str, int]
    tokens: Tokens
    worst: tuple[GradedVisit, ...]


def live_quality(answers: Sequence[GradedAnswer], weights: Weights, show: int = 0) -> LiveQuality:
    """Compute the figures of graded answers, given oldest first. ``show``: how many of the worst to list."""
    visits = [GradedVisit(each, Grade.model_validate(each.grade)) for each in answers]
    days = defaultdict[tuple[date, str, str], list[GradedVisit]](list)
    for visit in visits:
        grade = visit.grade
        days[visit.answer.asked_at.date(), grade.judge, grade.recipe].append(visit)
    last = _last(visits)
    ordered = sorted(last, key=lambda each: composite(each.grade, weights) or 0.0)
    return LiveQuality(
        days=tuple(_day(found, weights) for found in days.values()),
        by_score=_by_score(last),
        reasons=dict(Counter(each.grade.ungraded for each in visits if each.grade.ungraded).most_common()),
        tokens=used_tokens([each.grade for each in visits]),
        worst=tuple(ordered[:show]),
    )


def _last(visits: Sequence[GradedVisit]) -> list[GradedVisit]:
    """Return what the last judge graded by its last prompt, scale and rubric, without ungraded answers."""
    if not visits:
        return []
    last = visits[-1].grade
    same = [each for each in visits if (each.grade.judge, each.grade.recipe) == (last.judge, last.recipe)]
    return [each for each in same if not each.grade.ungraded]


def _day(visits: Sequence[GradedVisit], weights: Weights) -> DayQuality:
    first = visits[0]
    scored = [each.grade for each in visits if not each.grade.ungraded]
    scores: dict[str, float | None] = {
        name: mean(grade.scores.get(name) for grade in scored) for name in CRITERIA
    }
    return DayQuality(
        day=first.answer.asked_at.date(),
        judge=first.grade.judge,
        scale=first.grade.scale,
        graded=len(scored),
        ungraded=len(visits) - len(scored),
        scores={**scores, "composite": mean(composite(grade, weights) for grade in scored)},
        ratings=Ratings.of(visits),
    )


def _by_score(visits: Sequence[GradedVisit]) -> tuple[ScoreQuality, ...]:
    groups = defaultdict[float, list[GradedVisit]](list)
    for visit in visits:
        score = visit.grade.scores.get("correctness")
        if score is not None:
            groups[score].append(visit)
    return tuple(
        ScoreQuality(score=score, answers=len(found), ratings=Ratings.of(found))
        for score, found in sorted(groups.items())
    )
