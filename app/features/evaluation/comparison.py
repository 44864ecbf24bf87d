"""Compares runs over the questions that all of them have. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.errors import PoolError
from app.features.evaluation.results import EvaluationRun, QuestionResult
from app.features.evaluation.statistics import Difference, differences

Change = Literal["won", "lost", "mixed"]

LOWER_IS_BETTER: Final = frozenset({"1-recall@20", "lost", "shown_characters", "milliwatt_hours"})
"""Figures for which lower is better."""

SIGNIFICANT: Final = 0.05
LEAST_PROBABILITY: Final = 0.001
"""Smaller p-values are shown as less than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedQuestion:
    """A question with two results. ``outcome``: "won" if the second is better in something and worse in
    nothing, "lost" if it is the reverse, "mixed" if it is both better and worse."""

    outcome: Change
    first: QuestionResult
    second: QuestionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """A run against the first one. ``changed``: won questions first, then mixed ones, then lost ones."""

    first: EvaluationRun
    second: EvaluationRun
    differences: dict[str, Difference]
    changed: tuple[ChangedQuestion, ...]

    def of(self, outcome: Change) -> list[ChangedQuestion]:
        """The changed questions with this outcome."""
        return [each for each in self.changed if each.outcome == outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Runs over the same questions, each compared with the first. ``left_out``: for each run, how many of its
    questions were dropped because another run lacks them."""

    runs: tuple[EvaluationRun, ...]
    pairs: tuple[PairComparison, ...]
    left_out: tuple[int, ...]

    @property
    def questions(self) -> int:
        """The number of questions that are compared."""
        return len(self.runs[0].results)


def compare(runs: Sequence[EvaluationRun]) -> Comparison:
    """Compare runs over the questions that all of them have with the same gold.

    Raises ``PoolError`` if there is none."""
    tables = [{result.key: result for result in run.results} for run in runs]
    keys = [key for key in tables[0] if all(key in table for table in tables)]
    if not keys:
        raise PoolError(
            "the runs have no question with the same gold in common: compare runs of the same pool"
        )
    common = tuple(
        run.model_copy(update={"results": tuple(table[key] for key in keys)})
        for run, table in zip(runs, tables, strict=True)
    )
    return Comparison(
        runs=common,
        pairs=tuple(_pair(common[0], run) for run in common[1:]),
        left_out=tuple(len(run.results) - len(keys) for run in runs),
    )


def _pair(first: EvaluationRun, second: EvaluationRun) -> PairComparison:
    pairs = list(zip(first.results, second.results, strict=True))
    changed = [
        ChangedQuestion(outcome=outcome, first=one, second=other)
        for one, other in pairs
        if (outcome := _outcome(one, other)) is not None
    ]
    order: list[Change] = ["won", "mixed", "lost"]
    return PairComparison(
        first=first,
        second=second,
        differences=differences([one.scores for one, _ in pairs], [other.scores for _, other in pairs]),
        changed=tuple(sorted(changed, key=lambda each: order.index(each.outcome))),
    )


def _outcome(first: QuestionResult, second: QuestionResult) -> Change | None:
    pairs = list(zip(first.quality, second.quality, strict=True))
    won, lost = any(b > a for a, b in pairs), any(b < a for a, b in pairs)
    if won and lost:
        return "mixed"
    return "won" if won else "lost" if lost else None
