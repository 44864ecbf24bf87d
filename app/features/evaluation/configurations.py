"""Compares configurations by the grades of their answers to the same questions. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.errors import InputError
from app.features.evaluation.grades import GradedSheet, scores_of
from app.features.evaluation.metrics import Scores
from app.features.evaluation.rubric import Weights
from app.features.evaluation.sheets import question_key
from app.features.evaluation.statistics import Difference, Estimate, differences, estimates


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedConfiguration:
    """A configuration with the scores of its answers, question by question, and its figures over all
    questions and by kind. ``left_out``: how many of its answers were dropped, because not every configuration
    has a grade for the question."""

    label: str
    graded: tuple[GradedSheet, ...]
    scores: tuple[Scores, ...]
    figures: Mapping[str, Estimate]
    by_kind: Mapping[str, Mapping[str, Estimate]]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedComparison:
    """Configurations over the same questions. ``differences``: of each other configuration to the first, by
    label and figure."""

    configurations: tuple[GradedConfiguration, ...]
    differences: Mapping[str, Mapping[str, Difference]]

    @property
    def names(self) -> list[str]:
        """The figures that all configurations have."""
        return list(self.configurations[0].figures)

    @property
    def kinds(self) -> list[str]:
        """The kinds of questions; empty if there is only one."""
        found = list(self.configurations[0].by_kind)
        return found if len(found) > 1 else []


def compare_grades(graded: Mapping[str, Sequence[GradedSheet]], weights: Weights) -> GradedComparison:
    """Compare configurations (``graded`` is by label) over the questions that were graded for all of them.

    A figure of a question counts only if all configurations have it. Raises ``InputError`` if there is no
    such question."""
    tables = {
        label: {question_key(each.sheet): each for each in own if not each.grade.ungraded}
        for label, own in graded.items()
    }
    first, *others = tables.values()
    keys = [key for key in first if all(key in other for other in others)]
    if not keys:
        raise InputError("no question has a usable grade for each configuration: nothing can be compared")
    rows = {label: [scores_of(table[key].grade, weights) for key in keys] for label, table in tables.items()}
    shared = [
        set.intersection(*(set(row) for row in of_question))
        for of_question in zip(*rows.values(), strict=True)
    ]
    found = tuple(
        _configuration(
            label,
            [tables[label][key] for key in keys],
            [
                {name: score for name, score in row.items() if name in has}
                for row, has in zip(own, shared, strict=True)
            ],
            len(graded[label]) - len(keys),
        )
        for label, own in rows.items()
    )
    return GradedComparison(
        configurations=found,
        differences={other.label: differences(found[0].scores, other.scores) for other in found[1:]},
    )


def _configuration(
    label: str, graded: Sequence[GradedSheet], scores: Sequence[Scores], left_out: int
) -> GradedConfiguration:
    kinds = sorted({each.sheet.kind for each in graded})
    return GradedConfiguration(
        label=label,
        graded=tuple(graded),
        scores=tuple(scores),
        figures=estimates(scores),
        by_kind={
            kind: estimates(
                [own for own, each in zip(scores, graded, strict=True) if each.sheet.kind == kind]
            )
            for kind in kinds
        },
        left_out=left_out,
    )
