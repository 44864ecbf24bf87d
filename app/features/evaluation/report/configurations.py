"""Writes the page that compares configurations by their graded answers.

It has one table and one plot, also by kind, and the answers to each question side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.features.evaluation.comparison import LOWER_IS_BETTER
from app.features.evaluation.configurations import GradedComparison
from app.features.evaluation.grades import DECIDES, GradedSheet
from app.features.evaluation.grading import used_tokens
from app.features.evaluation.metrics import Score
from app.features.evaluation.report.grades import score_ends
from app.features.evaluation.report.page import decimal, judgement, probability, render_template
from app.features.evaluation.report.texts import page_texts
from app.features.evaluation.statistics import Difference

REVERSED = LOWER_IS_BETTER | {"grade"}
"""Figures for which lower is better: of the regulator's grades 1 is the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """A question with the answer of each configuration, in their order, and the score that decides, ``None``
    if it was not measured. ``spread``: between the highest and the lowest score."""

    question: GradedSheet
    answers: tuple[tuple[str, GradedSheet, float | None], ...]

    @property
    def spread(self) -> float:
        scores = [score for _, _, score in self.answers if score is not None]
        return max(scores) - min(scores) if scores else 0.0


def render(comparison: GradedComparison, *, judge: str, pool: str, language: str) -> str:
    """Render the page about a comparison over the questions of the file ``pool``, graded by ``judge``."""
    grades = [each.grade for own in comparison.configurations for each in own.graded]
    low, high = score_ends(grades[0])
    tokens = used_tokens(grades)
    known = page_texts("grades", language)["figures"]
    return render_template(
        "configurations.html.jinja",
        language,
        texts=page_texts("grades", language) | page_texts("configurations", language),
        figures={name: known.get(name, name) for name in comparison.names},
        verdict=_verdict(comparison, language),
        comparison=comparison,
        findings={
            label: {name: _finding(name, each) for name, each in found.items()}
            for label, found in comparison.differences.items()
        },
        place=lambda value: 100 * (value - low) / (high - low),
        ends=(f"{low:g}", f"{high:g}"),
        judge=judge,
        pool=pool,
        grade=grades[0],
        tokens=(f"{tokens.prompt:,.0f}", f"{tokens.output:,.0f}"),
        decides=known.get(_deciding(comparison), _deciding(comparison)),
        side_by_side=side_by_side(comparison),
    )


def side_by_side(comparison: GradedComparison) -> list[SideBySide]:
    """Return the questions with all answers; first the ones whose answers differ most in the figure that
    decides."""
    name, configurations = _deciding(comparison), comparison.configurations
    found = [
        SideBySide(
            question=configurations[0].graded[number],
            answers=tuple(
                (each.label, each.graded[number], _value(each.scores[number].get(name)))
                for each in configurations
            ),
        )
        for number in range(len(configurations[0].graded))
    ]
    return sorted(found, key=lambda each: -each.spread)


def _value(score: Score | None) -> float | None:
    return score.total / score.weight if score and score.weight else None


def _deciding(comparison: GradedComparison) -> str:
    """Return the name of the figure that decides."""
    return DECIDES[comparison.configurations[0].graded[0].grade.style]


def _finding(name: str, found: Difference) -> str:
    """Judge the other configuration by a difference: ``better``, ``worse`` or ``equal``."""
    said = judgement("", found)
    if name in REVERSED and said != "equal":
        return "worse" if said == "better" else "better"
    return said


def _verdict(comparison: GradedComparison, language: str) -> Sequence[str]:
    """Summarise for a manager how the others differ from the first in the figure that decides."""
    texts, (first, *others) = page_texts("configurations", language), comparison.configurations
    name = _deciding(comparison)
    sentences = [texts["compared"].format(questions=len(first.graded), configurations=1 + len(others))]
    for other in others:
        found = comparison.differences[other.label].get(name)
        if found is None:
            sentences.append(texts["unmeasured"].format(second=other.label, first=first.label))
            continue
        sentences.append(
            texts[_finding(name, found)].format(
                first=first.label,
                second=other.label,
                figure=page_texts("grades", language)["figures"][name],
                before=decimal(first.figures[name].value, language),
                after=decimal(other.figures[name].value, language),
                p=probability(found.p, language, equals="= "),
            )
        )
    return sentences
