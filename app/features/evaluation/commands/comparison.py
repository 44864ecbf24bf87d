"""``auskunft evaluate --compare``: runs measured or loaded, and the table of their differences."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from app.cli.common import console, print_json
from app.features.evaluation.commands.evaluation import Configuration, check, keep, kept_run, measure
from app.features.evaluation.comparison import (
    LEAST_PROBABILITY,
    Change,
    ChangedQuestion,
    Comparison,
    PairComparison,
    compare,
)
from app.features.evaluation.metrics import ANSWER_FIGURES, PAGE_FIGURES
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.results import EvaluationRun, question_key
from app.features.evaluation.statistics import Estimate
from ingest.text import shortened

SHOWN_QUESTIONS: Final = 10
SHOWN_CHARACTERS: Final = 80
_OUTCOMES: Final[tuple[Change, ...]] = ("won", "mixed", "lost")


def compared(
    names: Sequence[str],
    reranker: str | None,
    pool: Path,
    questions: Sequence[PoolQuestion],
    source: str | None,
) -> Comparison:
    """Measure each configuration, or load its kept run, and compare them over the pool's questions.

    Raises ``NotFoundError`` for an unknown run before anything is measured, ``UnknownPresetError`` and
    ``SettingsError``.
    """
    kept = {name: kept_run(int(name)) for name in names if name.isdecimal()}
    configurations = {name: configuration_of(name, reranker) for name in names if name not in kept}
    for each in configurations.values():
        check(each)
    measured = {name: keep(measure(each, pool, questions, source)) for name, each in configurations.items()}
    keys = {question_key(question) for question in questions}
    return compare([_labelled(_of_pool((kept | measured)[name], keys), name in kept) for name in names])


def configuration_of(name: str, reranker: str | None = None) -> Configuration:
    """Return the configuration that an argument of the command names."""
    if name.endswith(".toml"):
        return Configuration(settings=Path(name), reranker=reranker)
    return Configuration(preset=name, reranker=reranker)


def _of_pool(run: EvaluationRun, keys: set[str]) -> EvaluationRun:
    return run.model_copy(update={"results": tuple(each for each in run.results if each.key in keys)})


def _labelled(run: EvaluationRun, is_kept: bool) -> EvaluationRun:
    return run.model_copy(update={"label": f"{run.label} (run {run.number})"}) if is_kept else run


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison in JSON."""
    return {
        "questions": comparison.questions,
        "runs": [
            {
                "label": run.label,
                "run": run.number,
                "index": run.index,
                "left_out": left_out,
                "figures": {name: _estimate(each) for name, each in run.estimates.items()},
                **run.notes,
            }
            for run, left_out in zip(comparison.runs, comparison.left_out, strict=True)
        ],
        "comparisons": [_pair(pair) for pair in comparison.pairs],
    }


def _pair(pair: PairComparison) -> dict[str, Any]:
    return {
        "first": pair.first.label,
        "second": pair.second.label,
        "differences": {name: each.document() for name, each in pair.differences.items()},
        **{outcome: [_question(each) for each in pair.of(outcome)] for outcome in _OUTCOMES},
    }


def _question(changed: ChangedQuestion) -> dict[str, Any]:
    first, second = changed.first, changed.second
    return {
        "id": first.id,
        "question": first.question,
        "rank": [first.rank, second.rank],
        "status": [first.status, second.status],
        "right": [first.is_right, second.is_right],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": round(estimate.value, 3), "interval": estimate.interval, "count": estimate.count}


def print_comparison(comparison: Comparison, *, as_json: bool) -> None:
    """Print figures, differences and the questions that changed."""
    if as_json:
        print_json(comparison_document(comparison))
        return
    out = console()
    out.print(f"{comparison.questions:,} questions")
    for run, left_out in zip(comparison.runs, comparison.left_out, strict=True):
        out.print(f"{run.label}: {run.index}" + (f"; {left_out:,} other questions" if left_out else ""))
        for note in run.notes.values():
            out.print(f"warning: {note['warning']}")
    out.print()
    out.print(_figures(comparison))
    for pair in comparison.pairs:
        out.print()
        out.print(_differences(pair))
        _print_changed(pair)


def _figures(comparison: Comparison) -> Table:
    table = Table("", *(run.label for run in comparison.runs), box=None)
    found = [run.estimates for run in comparison.runs]
    for name in (*PAGE_FIGURES, *ANSWER_FIGURES):
        table.add_row(name, *(_shown(each.get(name)) for each in found))
    return table


def _differences(pair: PairComparison) -> Table:
    table = Table(f"{pair.second.label} - {pair.first.label}", "", "95 % interval", "p", box=None)
    for name, each in pair.differences.items():
        low_high = each.interval
        shown = f"{low_high[0]:+} to {low_high[1]:+}" if low_high else "-"
        p = f"<{LEAST_PROBABILITY}" if each.p < LEAST_PROBABILITY else f"{each.p:.3f}"
        table.add_row(name, f"{round(each.value, 3):+}", shown, p)
    return table


def _shown(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    low_high = estimate.interval
    between = f" ({low_high[0]} to {low_high[1]})" if low_high else ""
    return f"{round(estimate.value, 3)}{between}"


def _print_changed(pair: PairComparison) -> None:
    out = console()
    for outcome in _OUTCOMES:
        found = pair.of(outcome)
        out.print(f"{outcome}: {len(found):,} questions")
        for each in found[:SHOWN_QUESTIONS]:
            change = f"rank {each.first.rank} to {each.second.rank}"
            if each.first.is_right != each.second.is_right:
                change += f", right {each.first.is_right} to {each.second.is_right}"
            if each.first.status != each.second.status:
                change += f", {each.first.status} to {each.second.status}"
            out.print(f"  {each.first.id} {shortened(each.first.question, SHOWN_CHARACTERS)}: {change}")
        if len(found) > SHOWN_QUESTIONS:
            out.print(f"  and {len(found) - SHOWN_QUESTIONS:,} more: --json has all")
