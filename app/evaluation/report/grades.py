"""Writes the page about graded answers: how good they are by model and kind, and the worst with reasons."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.evaluation.grades import Grade, GradedSheet, Style, composite, ranking, served_names, worst
from app.evaluation.grading import used_tokens
from app.evaluation.metrics import Score
from app.evaluation.report.page import decimal, render_template, share
from app.evaluation.report.texts import GRADES
from app.evaluation.rubric import Scale, Weights
from app.evaluation.sheets import AnswerSheet
from app.evaluation.statistics import Estimate, estimates

ENDS: Final[Mapping[Style, tuple[float, float]]] = {"rtr": (1, 4), "metrics": (0, 1)}
"""The lowest and the highest score of a style; criteria have theirs in the scale."""

DECIDES: Final[Mapping[Style, str]] = {"criteria": "composite", "metrics": "answer_correctness"}
AGREES: Final = 2
"""The last of the regulator's grades that contradicts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Answers of one model, or to one kind of questions: how many were graded, and their figures."""

    name: str
    graded: int
    figures: Mapping[str, Estimate]


def render(
    graded: Sequence[GradedSheet], *, judge: str, sheets: str, weights: Weights, language: str, count: int
) -> str:
    """The page about answers in the file ``sheets``, one at least, that were graded by ``judge`` in one style
    and on one scale, with the ``count`` worst."""
    grades, texts = [each.grade for each in graded], GRADES[language]
    low, high = _ends(grades[0])
    tokens, found = used_tokens(grades), _estimates(graded, weights)
    return render_template(
        "grades.html.jinja",
        language,
        texts=texts,
        verdict=_verdict(graded, found, judge, weights, language=language),
        warnings=_warnings(grades, language),
        tables=[
            ("models", _groups(graded, lambda sheet: sheet.model or str(texts["no_model"]), weights)),
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


def _ends(grade: Grade) -> tuple[float, float]:
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
        )
        for name, own in found.items()
    ]


def _estimates(graded: Sequence[GradedSheet], weights: Weights) -> dict[str, Estimate]:
    return estimates([_scores(each.grade, weights) for each in graded])


def _scores(grade: Grade, weights: Weights) -> dict[str, Score]:
    """What a grade counts for; nothing if there is none."""
    scores = dict(grade.scores)
    if grade.style == "criteria":
        scores["composite"] = composite(grade, weights)
    return {name: Score(score, 1) for name, score in scores.items() if score is not None}


def _verdict(
    graded: Sequence[GradedSheet],
    found: Mapping[str, Estimate],
    judge: str,
    weights: Weights,
    *,
    language: str,
) -> list[str]:
    """What a manager reads. ``found``: the figures of all answers."""
    texts, grades = GRADES[language], [each.grade for each in graded]
    usable = [grade for grade in grades if not grade.ungraded]
    sentences = [str(texts["graded"]).format(judge=judge, graded=len(usable), sheets=len(grades))]
    if len(usable) < len(grades):
        sentences.append(str(texts["ungraded"]).format(count=len(grades) - len(usable)))
    if usable:
        sentences += _quality(found, usable, language)
    places = ranking(graded, weights)
    if len(places) > 1 and places[0]["mean"] is not None:
        first, second = places[:2]
        sentences.append(
            str(texts["best"]).format(
                model=first["model"] or texts["no_model"],
                mean=decimal(first["mean"], language),
                second=second["model"] or texts["no_model"],
                other=decimal(second["mean"], language),
                questions=first["questions"],
            )
        )
    return sentences


def _quality(figures: Mapping[str, Estimate], usable: Sequence[Grade], language: str) -> list[str]:
    """How good all answers together are, in the figure that decides."""
    text, style = str(GRADES[language][usable[0].style]), usable[0].style
    if style == "rtr":
        marks = [grade.comparison.grade for grade in usable if grade.comparison]
        agreeing = sum(mark <= AGREES for mark in marks)
        return [text.format(share=share(agreeing / len(marks), language))] if marks else []
    found = figures.get(DECIDES[style])
    if found is None:
        return []
    ends = (decimal(end, language) for end in (found.low, found.high) if end is not None)
    interval = f" {GRADES[language]['to']} ".join(ends) or "–"
    value = decimal(found.value, language)
    return [text.format(value=value, high=f"{_ends(usable[0])[1]:g}", interval=interval)]


def _warnings(grades: Sequence[Grade], language: str) -> list[str]:
    """What is to be known before the figures: several names of the judge, and why answers are ungraded."""
    names = served_names(grades)
    told = [str(GRADES[language]["changed"]).format(names=", ".join(names))] if len(names) > 1 else []
    reasons = Counter(grade.ungraded for grade in grades if grade.ungraded)
    text = str(GRADES[language]["reason"])
    return [*told, *(text.format(number=number, reason=reason) for reason, number in reasons.most_common())]
