"""``auskunft reconcile``: comparing sources, page store and index, and repairing what differs."""

from dataclasses import asdict
from typing import Any

import click

from app.background.importer import Importer, ImportResult
from app.background.reconcile import KINDS
from app.cli.common import (
    check_source,
    console,
    give_way,
    json_option,
    open_services,
    print_json,
    source_option,
)
from app.cli.progress import long_work
from app.pages.reconciliations import Reconciliation


@click.command()
@source_option
@click.option("--dry-run", is_flag=True, help="Only compare page store and index; change nothing.")
@click.option("--confirm", is_flag=True, help="Repair the index, however much differs.")
@json_option
def reconcile(source: str | None, dry_run: bool, confirm: bool, as_json: bool) -> None:
    """Compare sources, page store and index, and repair differences; also done every night.

    Sources that can be pulled are pulled in full. Pages that the index lacks are written again, pages that it
    should not have are removed. If more than a fifth differs, nothing is done until you confirm it.
    """
    give_way()
    with open_services() as services:
        if source is not None:
            check_source(source, {*services.store.sources(), *services.settings.sources})
        services.indexing.generations.clean_up()
        report, due = services.background.reconciler.run(source, dry_run=dry_run, confirmed=confirm)
        with long_work("indexing") as show:
            indexed = Importer(store=services.store, indexer=services.indexing.indexer, show=show).rewrite(
                due
            )
    if as_json:
        print_json(_document(report, indexed))
    else:
        _print(report, indexed)
    if report.problem or indexed.failures:
        raise click.exceptions.Exit(1)


def _print(report: Reconciliation, indexed: ImportResult) -> None:
    out = console()
    repaired = "; mended" if report.repaired else "; nothing was changed"
    found = ", ".join(f"{count} {kind}" for kind, count in report.counts.items())
    differences = f"{found}{repaired}" if found else "no difference"
    out.print(f"{report.pages} pages compared with generation {report.generation}: {differences}")
    for kind, meaning in KINDS.items():
        for name in report.examples.get(kind, ()):
            out.print(f"  {kind} ({meaning}): {name}")
        if left := report.counts.get(kind, 0) - len(report.examples.get(kind, ())):
            out.print(f"  {kind}: {left} more")
    for name, summary in report.sources.items():
        out.print(f"{name}: {summary}")
    for name, failure in indexed.failures.items():
        out.print(f"  {name}: failed({failure.reason}): {failure.message}")
    if report.problem:
        out.print(report.problem)


def _document(report: Reconciliation, indexed: ImportResult) -> dict[str, Any]:
    times = {"started_at": report.started_at.isoformat()}
    if report.finished_at is not None:
        times["finished_at"] = report.finished_at.isoformat()
    failures = {name: f"{failure.reason}: {failure.message}" for name, failure in indexed.failures.items()}
    return asdict(report) | times | {"failures": failures}
