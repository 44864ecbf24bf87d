"""Writes the page about graded answers: their figures by model and kind, and the worst with reasons."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.features.evaluation.grades import (
    DECIDES,
    Grade,
    GradedSheet,
    ReferenceComparison,
    Style,
    ranking,
    scores_of,
    served_names,
    worst,
)
from app.features.evaluation.grading import used_tokens
from app.features.evaluation.report.page import decimal, render_template, share
from app.features.evaluation.report.texts import page_texts
from app.features.evaluation.rubric import Scale, Weights
from app.features.evaluation.sheets import AnswerSheet
from app.features.evaluation.statistics import Estimate, estimates

ENDS: Final[Mapping[Style, tuple[float, float]]] = {"rtr": (1, 4), "metrics": (0, 1)}
"""The lowest and the highest score of a style; criteria have theirs in the scale."""

AGREES: Final = 2
"""The worst of the regulator's grades that means no contradiction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Answers of one model, or to one kind of questions. ``graded``: how many were graded; ``counts``: how
    often each of the regulator's grades and styles was given."""

    name: str
    graded: int
    figures: Mapping[str, Estimate]
    counts: Mapping[str, int]


def render(
    graded: Sequence[GradedSheet], *, judge: str, sheets: str, weights: Weights, language: str, count: int
) -> str:
    """Render the page about the answers in the file ``sheets``, with the ``count`` worst.

    There is at least one answer, and ``judge`` has graded all in one style and on one scale."""
    grades, texts = [each.grade for each in graded], page_texts("grades", language)
    low, high = score_ends(grades[0])
    tokens, found = used_tokens(grades), _estimates(graded, weights)
    return render_template(
        "grades.html.jinja",
        language,
        texts=texts,
        verdict=_verdict(graded, found, judge, weights, language=language),
        warnings=_warnings(grades, language),
        tables=[
            ("models", _groups(graded, lambda sheet: sheet.model or texts["no_model"], weights)),
            ("kinds", _groups(graded, lambda sheet: sheet.kind or "–", weights)),
        ],
        names=[name for name in texts["figures"] if name in found],
        place=lambda value: 100 * (value - low) / (high - low),
        worst=worst(graded, weights, count),
        judge=judge,
        sheets=sheets,
        grade=grades[0],
        tokens=(f"{tokens.prompt:,.0f}", f"{tokens.output:,.0f}"),
    )


def score_ends(grade: Grade) -> tuple[float, float]:
    """Return the lowest and the highest score that a grade may have."""
    if grade.style in ENDS:
        return ENDS[grade.style]
    scale = Scale.of(grade.scale)
    return scale.low, scale.high


def _groups(
    graded: Sequence[GradedSheet], group: Callable[[AnswerSheet], str], weights: Weights
) -> list[Group]:
    names = sorted({group(each.sheet) for each in graded})
    found = {name: [each for each in graded if group(each.sheet) == name] for name in names}
    return [
        Group(
            name=name,
            graded=sum(not each.grade.ungraded for each in own),
            figures=_estimates(own, weights),
            counts=_counts([each.grade.comparison for each in own if each.grade.comparison]),
        )
        for name, own in found.items()
    ]


def _counts(comparisons: Sequence[ReferenceComparison]) -> dict[str, int]:
    """Count how often each grade and style was given; empty in other styles of grading."""
    if not comparisons:
        return {}
    grades = Counter(each.grade for each in comparisons)
    styles = Counter(each.style for each in comparisons)
    return {
        **{f"grade_{grade}": grades[grade] for grade in (1, 2, 3, 4)},
        "style_good": styles["good"],
        "style_bad": styles["bad"],
    }


def _estimates(graded: Sequence[GradedSheet], weights: Weights) -> dict[str, Estimate]:
    return estimates([scores_of(each.grade, weights) for each in graded])


def _verdict(
    graded: Sequence[GradedSheet],
    found: Mapping[str, Estimate],
    judge: str,
    weights: Weights,
    *,
    language: str,
) -> list[str]:
    """Summarise the grades for a manager. ``found``: the figures of all answers."""
    texts, grades = page_texts("grades", language), [each.grade for each in graded]
    usable = [grade for grade in grades if not grade.ungraded]
    sentences = [texts["graded"].format(judge=judge, graded=len(usable), sheets=len(grades))]
    if len(usable) < len(grades):
        sentences.append(texts["ungraded"].format(count=len(grades) - len(usable)))
    if usable:
        sentences += _quality(found, usable, language)
    return [*sentences, *_order(graded, weights, language)]


def _order(graded: Sequence[GradedSheet], weights: Weights, language: str) -> list[str]:
    """State which model answers best, or that several are tied."""
    texts, places = page_texts("grades", language), ranking(graded, weights)
    if len(places) < 2 or places[0]["mean"] is None:
        return []
    names = [place["model"] or texts["no_model"] for place in places]
    first = sum(place["rank"] == 1 for place in places)
    values = {"mean": decimal(places[0]["mean"], language), "questions": places[0]["questions"]}
    after = [
        {"second": names[n], "other": decimal(places[n]["mean"], language)} for n in range(first, len(places))
    ]
    if first == 1:
        return [texts["best"].format(model=names[0], **after[0], **values)]
    models = f"{', '.join(names[: first - 1])} {texts['and']} {names[first - 1]}"
    told = [texts["tie"].format(models=models, **values)]
    return told + [texts["then"].format(**each) for each in after[:1]]


def _quality(figures: Mapping[str, Estimate], usable: Sequence[Grade], language: str) -> list[str]:
    """State how good all answers together are, in the figure that decides."""
    style = usable[0].style
    if style == "rtr":
        return _compared([grade.comparison for grade in usable if grade.comparison], language)
    texts = page_texts("grades", language)
    found = figures.get(DECIDES[style])
    if found is None:
        return []
    ends = (decimal(end, language) for end in (found.low, found.high) if end is not None)
    interval = f" {texts['to']} ".join(ends) or "–"
    value = decimal(found.value, language)
    high = f"{score_ends(usable[0])[1]:g}"
    return [texts[style].format(value=value, high=high, interval=interval)]


def _compared(comparisons: Sequence[ReferenceComparison], language: str) -> list[str]:
    """State how many answers contradict their reference, and how many are written well."""
    if not comparisons:
        return []
    texts, counts, graded = page_texts("grades", language), _counts(comparisons), len(comparisons)
    agreeing = sum(counts[f"grade_{grade}"] for grade in range(1, AGREES + 1))
    return [
        texts["rtr"].format(
            share=share(agreeing / graded, language),
            agreeing=agreeing,
            graded=graded,
            possible=counts["grade_3"],
            contradicting=counts["grade_4"],
        ),
        texts["style_share"].format(
            share=share(counts["style_good"] / graded, language), good=counts["style_good"], graded=graded
        ),
    ]


def _warnings(grades: Sequence[Grade], language: str) -> list[str]:
    """Return warnings that precede the figures: several names of the judge, reasons of ungraded answers."""
    texts, names = page_texts("grades", language), served_names(grades)
    told = [texts["changed"].format(names=", ".join(names))] if len(names) > 1 else []
    reasons = Counter(grade.ungraded for grade in grades if grade.ungraded)
    return told + [
        texts["reason"].format(number=number, reason=reason) for reason, number in reasons.most_common()
    ]
