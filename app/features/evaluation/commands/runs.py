"""``auskunft runs``: the evaluations that are kept."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from app.cli.common import console, json_option, new_file, open_services, print_json, table_console
from app.cli.values import NUMBER, WholeNumber
from app.errors import InputError
from app.features.evaluation.commands.evaluate import print_run, report_page
from app.features.evaluation.commands.evaluation import kept_run
from app.features.evaluation.commands.options import report_language_option, report_option
from app.features.evaluation.evaluation_runs import EvaluationRuns, StoredRun
from app.features.evaluation.results import run_of

LISTED = ("hit@1", "shown", "refused", "lost")

_number = click.argument("number", type=NUMBER)


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def runs(context: click.Context, as_json: bool) -> None:
    """List the stored evaluations, newest first; the last 100 are kept."""
    if context.invoked_subcommand:
        return
    with open_services() as services:
        found = [_document(run) for run in EvaluationRuns(services.engine).all()]
    if as_json:
        print_json(found)
    else:
        table_console().print(_table(found) if found else "no runs: `auskunft evaluate POOL` makes one")


def _document(run: StoredRun) -> dict[str, Any]:
    names = ("label", "pool", "pool_hash", "seconds", "index", "configuration", "figures")
    return {
        "run": run.number,
        "started_at": run.started_at.isoformat(timespec="seconds"),
        **{name: run.document[name] for name in names},
    }


def _table(found: list[dict[str, Any]]) -> Table:
    table = Table("run", "started (UTC)", "configuration", "pool", "questions", *LISTED, box=None)
    for each in found:
        figures = each["figures"]
        values = ("-" if figures[name] is None else str(figures[name]) for name in LISTED)
        started = each["started_at"][:16].replace("T", " ")
        pool = f"{each['pool']} ({each['pool_hash'][:6]})"
        table.add_row(str(each["run"]), started, each["label"], pool, str(figures["questions"]), *values)
    return table


@runs.command()
@_number
@click.option("--show", type=WholeNumber(), default=0, metavar="N", help="Print the N worst questions.")
@report_option
@report_language_option
@json_option
def show(number: int, show: int, report: Path | None, language: str, as_json: bool) -> None:
    """Show a run as `auskunft evaluate` does."""
    run = kept_run(number)
    if report:
        with new_file(report) as file:
            file.write(report_page([run], None, language, show))
    print_run(run, show, as_json=as_json)


@runs.command()
@_number
def delete(number: int) -> None:
    """Delete a run."""
    with open_services() as services:
        EvaluationRuns(services.engine).delete(number)
    console().print(f"run {number} is deleted")


@runs.command()
@click.argument("numbers", nargs=-1, type=NUMBER)
@click.option("--mlflow", "uri", required=True, metavar="URI", help="MLflow's store: a server or a folder.")
def export(numbers: tuple[int, ...], uri: str) -> None:
    """Copy runs to MLflow (default: all). Runs that are already there are left alone."""
    from app.features.evaluation.mlflow_export import export_run  # noqa: PLC0415 - it is an extra

    with open_services() as services:
        stored = EvaluationRuns(services.engine)
        wanted = numbers or tuple(run.number for run in reversed(stored.all()))
        if not wanted:
            raise InputError("there are no runs: `auskunft evaluate POOL` makes one")
        found = [run_of(stored.get(number)) for number in wanted]
    exported = sum(export_run(run, uri) for run in found)
    console().print(f"{exported:,} of {len(found):,} runs are exported, the others were there")
