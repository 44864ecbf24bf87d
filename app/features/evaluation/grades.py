"""Grades that a judge or a person gives to sheets. JSON Lines, one grade a line."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from app.errors import InputError
from app.features.evaluation.metrics import Score
from app.features.evaluation.record_file import RecordFile
from app.features.evaluation.rubric import CRITERIA, Weights
from app.features.evaluation.sheets import AnswerSheet, TokenCount, question_key

Style = Literal["criteria", "rtr", "metrics"]
STYLES: Final[tuple[Style, ...]] = get_args(Style)

DECIDES: Final[Mapping[Style, str]] = {
    "criteria": "composite",
    "rtr": "grade",
    "metrics": "answer_correctness",
}
"""The figure that decides, by style."""


class ReferenceComparison(BaseModel):
    """A new answer compared with the reference, as a lawyer does it. ``grade``: 1 no legal difference, 2 more
    aspects, 3 a possible contradiction, 4 contradictory conclusions. Every field is required."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str
    reference: str
    answer: str
    summary: str
    grade: Literal[1, 2, 3, 4]
    grade_reason: str
    style: Literal["good", "bad"]
    style_reason: str


class Grade(BaseModel):
    """A judge's grade of a sheet.

    ``recipe``: of prompt, rubric and scale; grades with different recipes do not compare. ``served``: the
    names that the endpoint gave its model. ``ungraded``: why there are no scores, which is not a score of 0.
    A score of ``None`` could not be measured; ``reasons`` says why."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    sheet: str = Field(min_length=1)
    judge: str
    style: Style
    scale: str = ""
    recipe: str
    served: tuple[str, ...] = ()
    scores: Mapping[str, float | None] = {}
    reasons: Mapping[str, str] = {}
    comparison: ReferenceComparison | None = None
    ungraded: str = ""
    replies: int = 0
    tokens: TokenCount = TokenCount()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class GradedSheet:
    """A sheet and its grade."""

    sheet: AnswerSheet
    grade: Grade


def grade_file(path: Path) -> RecordFile[Grade]:
    """The grades at ``path``."""
    return RecordFile(path, Grade)


def load_grades(path: Path) -> list[Grade]:
    """Load grades. Raises ``InputError`` if there are none."""
    if grades := grade_file(path).read():
        return grades
    raise InputError(f"{path} contains no grades: `auskunft judge` writes them")


def joined(sheets: Sequence[AnswerSheet], grades: Sequence[Grade]) -> list[GradedSheet]:
    """Pair sheets with their last grades, in the order of the sheets; those without any are left out."""
    last = {grade.sheet: grade for grade in grades}
    return [GradedSheet(sheet, last[sheet.fingerprint]) for sheet in sheets if sheet.fingerprint in last]


def composite(grade: Grade, weights: Weights) -> float | None:
    """Return the score that orders sheets, or ``None`` if there is no grade or it could not be measured.

    By style it is the weighted mean of the criteria, the regulator's grade, or the metric of answer
    correctness."""
    if grade.ungraded:
        return None
    if grade.style != "criteria":
        return grade.scores.get(DECIDES[grade.style])
    found = {name: score for name, score in grade.scores.items() if score is not None}
    return weights.composite(found) if found.keys() >= set(CRITERIA) else None


def scores_of(grade: Grade, weights: Weights) -> dict[str, Score]:
    """Return the figures that a grade counts for, with the composite of criteria; without missing scores."""
    scores = dict(grade.scores)
    if grade.style == "criteria":
        scores["composite"] = composite(grade, weights)
    return {name: Score(score, 1) for name, score in scores.items() if score is not None}


def figures(graded: Sequence[GradedSheet], weights: Weights) -> dict[str, Any]:
    """Compute the mean of each score over the graded sheets. ``graded`` and ``ungraded`` count sheets;
    ``watt_hours`` is the mean of those whose energy is known."""
    scored = [each.grade for each in graded if not each.grade.ungraded]
    names = dict.fromkeys(name for grade in scored for name in grade.scores)
    return {
        "sheets": len(graded),
        "graded": len(scored),
        "ungraded": len(graded) - len(scored),
        **{name: mean(grade.scores.get(name) for grade in scored) for name in names},
        **_of_style(scored, weights),
        **_energy([each.sheet for each in graded]),
    }


def _energy(sheets: Sequence[AnswerSheet]) -> dict[str, float]:
    """Compute the mean watt hours of the answers whose energy is known; empty if none is."""
    known = [sheet.watt_hours for sheet in sheets if sheet.watt_hours is not None]
    return {"watt_hours": float(f"{sum(known) / len(known):.3g}")} if known else {}


def _of_style(scored: Sequence[Grade], weights: Weights) -> dict[str, Any]:
    """Compute a style's figures besides the means: the composite, or how often each grade was given."""
    comparisons = [grade.comparison for grade in scored if grade.comparison]
    if comparisons:
        counts = Counter(comparison.grade for comparison in comparisons)
        good = sum(comparison.style == "good" for comparison in comparisons)
        return {**{f"grade_{grade}": counts[grade] for grade in (1, 2, 3, 4)}, "style_good": good}
    if any(grade.style == "criteria" for grade in scored):
        return {"composite": mean(composite(grade, weights) for grade in scored)}
    return {}


def by(
    graded: Sequence[GradedSheet], group: Callable[[AnswerSheet], str], weights: Weights
) -> dict[str, dict[str, Any]]:
    """The figures of each group of sheets, by its name."""
    groups = defaultdict[str, list[GradedSheet]](list)
    for each in graded:
        groups[group(each.sheet)].append(each)
    return {name: figures(found, weights) for name, found in sorted(groups.items())}


def ranking(graded: Sequence[GradedSheet], weights: Weights) -> list[dict[str, Any]]:
    """Return the answering models, best first, by their mean over the questions graded for all of them.

    Equal means share a rank."""
    scores = defaultdict[str, dict[str, float]](dict)
    for each in graded:
        if (score := composite(each.grade, weights)) is not None:
            scores[each.sheet.model][question_key(each.sheet)] = score
    common = set.intersection(*(set(found) for found in scores.values())) if scores else set()
    sign = 1 if any(each.grade.style == "rtr" for each in graded) else -1  # as at school, grade 1 is the best
    means = {model: mean(found[key] for key in common) for model, found in scores.items()}
    places = {model: sign * (value or 0.0) for model, value in means.items()}
    return [
        {
            "rank": 1 + sum(other < place for other in places.values()),
            "model": model,
            "mean": means[model],
            "questions": len(common),
        }
        for model, place in sorted(places.items(), key=lambda pair: pair[1])
    ]


def served_names(grades: Sequence[Grade]) -> dict[str, int]:
    """Count the grades by the name that the endpoint gave its model, the most frequent first."""
    counts = Counter(name for grade in grades for name in grade.served)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def worst(graded: Sequence[GradedSheet], weights: Weights, number: int) -> list[GradedSheet]:
    """Return the sheets with the worst grades, the worst first, without ungraded ones."""
    scored = [(score, each) for each in graded if (score := composite(each.grade, weights)) is not None]
    scored.sort(key=lambda pair: -pair[0] if pair[1].grade.style == "rtr" else pair[0])
    return [each for _, each in scored[:number]]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values, or None if there are none."""
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
