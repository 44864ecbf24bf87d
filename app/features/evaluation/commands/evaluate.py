"""``auskunft evaluate``: the quality of retrieval and answers on a question pool."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from app.cli.common import (
    TEXT,
    console,
    give_way,
    json_option,
    new_file,
    preset_option,
    print_json,
    source_option,
)
from app.cli.values import WholeNumber
from app.features.evaluation.commands.comparison import compared, print_comparison
from app.features.evaluation.commands.evaluation import Configuration, figures_table, keep, measure
from app.features.evaluation.commands.options import (
    pool_argument,
    report_language_option,
    report_option,
    spans_option,
)
from app.features.evaluation.comparison import Comparison
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.results import EvaluationRun, QuestionResult, by_group, figures, worst
from app.features.evaluation.statistics import Estimate
from ingest.text import shortened

SHOWN_PAGES: Final = 5
GROUPS: Final = {"by_language": "language", "by_kind": "kind", "by_source": "source", "by_place": "place"}
SHOWN_CHARACTERS: Final = 500


@click.command()
@pool_argument
@click.argument("others", nargs=-1, metavar="[A B ...]", type=TEXT)
@click.option(
    "--compare",
    is_flag=True,
    help="Compare A with each of the others: presets, numbers of stored runs or settings files (.toml).",
)
@spans_option
@source_option
@preset_option
@click.option(
    "--reranker",
    type=TEXT,
    metavar="NAME",
    help="Score the pages found with this reranker, or with none (default: as in preset and settings).",
)
@click.option("--show", type=WholeNumber(), default=0, metavar="N", help="Print the N worst questions.")
@report_option
@report_language_option
@json_option
def evaluate(
    *,
    pool: Path,
    others: tuple[str, ...],
    compare: bool,
    spans: Path | None,
    source: str | None,
    preset: str | None,
    reranker: str | None,
    show: int,
    report: Path | None,
    language: str,
    as_json: bool,
) -> None:
    """Measure retrieval, and answers without a model, on a question pool (JSON Lines with question, gold,
    spans, history). Results are stored: see `auskunft runs`."""
    _check(others, compare=compare, preset=preset)
    give_way()
    questions = load_pool(pool, spans)
    with new_file(report) if report else nullcontext() as file:
        comparison = compared(others, reranker, pool, questions, source) if compare else None
        if comparison:
            runs: Sequence[EvaluationRun] = comparison.runs
        else:
            configuration = Configuration(preset=preset, reranker=reranker)
            runs = [keep(measure(configuration, pool, questions, source))]
        if file:
            file.write(report_page(runs, comparison, language, show))
    if comparison:
        print_comparison(comparison, as_json=as_json)
    else:
        print_run(runs[0], show, as_json=as_json)


def report_page(
    runs: Sequence[EvaluationRun], comparison: Comparison | None, language: str, show: int
) -> str:
    """Render the report with the ``show`` worst questions; 0 stands for the report's own default."""
    from app.features.evaluation.report.page import WORST, render  # noqa: PLC0415 - few evaluations want one

    return render(runs, language, count=show or WORST, comparison=comparison)


def _check(others: Sequence[str], *, compare: bool, preset: str | None) -> None:
    """Raise ``UsageError`` for arguments that do not go together."""
    if others and not compare:
        raise click.UsageError(f"Put --compare before {others[0]!r}.")
    if compare and preset:
        raise click.UsageError("Name the preset after --compare instead of using --preset.")
    if compare and len(others) < 2:
        raise click.UsageError(
            "--compare takes two or more presets, numbers of kept runs, or settings files."
        )


def print_run(run: EvaluationRun, show: int, *, as_json: bool) -> None:
    """Print a run with its ``show`` worst questions."""
    document = run_document(run, show)
    if as_json:
        print_json(document)
    else:
        _print(document, run.estimates)


def run_document(run: EvaluationRun, show: int) -> dict[str, Any]:
    """The figures of a run with their intervals, by group, and its worst questions."""
    document: dict[str, Any] = {**run.figures, "seconds": run.seconds, "run": run.number}
    document["intervals"] = {name: each.interval for name, each in run.estimates.items() if each.interval}
    document |= run.notes
    for name, field in GROUPS.items():
        if groups := by_group(run.results, attrgetter(field)):
            document[name] = {group: figures(own) for group, own in groups.items()}
    if show:
        document["worst"] = [_document(result) for result in worst(run.results, show)]
    return document


def _document(result: QuestionResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "question": result.question,
        "kind": result.kind,
        "gold": list(result.gold),
        "rank": result.rank,
        "found": list(result.found[:SHOWN_PAGES]),
        "status": result.status,
        "right": result.is_right,
        "shown": result.shown,
    }


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value)


def interval(estimate: Estimate | None) -> str:
    """Format the interval of a figure; empty if it has none."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return (
        f"{estimate.low:.4g} to {estimate.high:.4g}"
        if estimate.high > 1
        else (f"{estimate.low:.3f} to {estimate.high:.3f}")
    )


def _print(document: dict[str, Any], estimates: Mapping[str, Estimate]) -> None:
    out = console()
    table = Table("", "", "95 % interval", box=None)
    for name, value in document.items():
        if not isinstance(value, dict | list):
            table.add_row(name, _shown(value), interval(estimates.get(name)))
    out.print(table)
    for value in document.values():
        if isinstance(value, dict) and "warning" in value:
            out.print(f"warning: {value['warning']}")
    for name in GROUPS:
        if groups := document.get(name):
            out.print()
            out.print(figures_table(name.replace("_", " "), groups))
    for item in document.get("worst", ()):
        _print_question(item)


def _print_question(item: Mapping[str, Any]) -> None:
    out = console()
    out.print(f"\n{item['id']} ({item['kind']}) {item['question']}")
    out.print(f"  wanted {', '.join(item['gold']) or 'nothing'}; rank {item['rank']}")
    for page in item["found"]:
        out.print(f"  found  {page}")
    right = {None: "", True: ", right", False: ", not the answer"}[item["right"]]
    out.print(f"  shown  ({item['status']}{right}) {shortened(item['shown'], SHOWN_CHARACTERS)}")
