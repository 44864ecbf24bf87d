"""``auskunft contexts``: shows how many contexts are written and their cost, and writes missing ones."""

import sys

import click
from rich.table import Table

from app.cli.common import (
    console,
    give_way,
    json_option,
    open_services,
    print_json,
    source_option,
    table_console,
)
from app.cli.progress import long_work
from app.errors import InputError, ModelError
from app.features.contexts.report import ContextReport
from app.features.contexts.services import ContextServices
from app.indexing.progress import Progress
from app.services import Services
from ingest.types import PageRef

NOBODY_WANTS_ANY = 'no preset uses contexts: set preset = "contextual", for the installation or a source'


@click.command()
@source_option
@click.option("--retry", is_flag=True, help="Ask again for what failed.")
@click.option("--write", is_flag=True, help="Write what is missing now, in this process.")
@click.option("--yes", is_flag=True, help="Do not ask before spending more than the settings' limit.")
@json_option
def contexts(source: str | None, retry: bool, write: bool, yes: bool, as_json: bool) -> None:
    """Show how many chunks have a context written by a language model, and what that costs.

    The server and workers write missing contexts automatically; --write does it at once. You can interrupt it
    at any time and run it again: what is written is kept.
    """
    with open_services() as services:
        report = _report(services, source)
        if retry:
            again = services.feature(ContextServices).store.retry(source)
            console(stderr=True).print(f"{again:,} chunks that failed are asked for again")
            report = _report(services, source)
        if write:
            if source is not None:
                raise InputError("--write writes what is missing in all sources: leave out --source")
            _confirm(report, yes=yes)
            _write(services, report)
            report = _report(services, source)
        _print(report, as_json=as_json)
        if write and (report.missing or report.failed):
            raise click.exceptions.Exit(1)


def _report(services: Services, source: str | None) -> ContextReport:
    """Return the report. Raises ``InputError`` if no preset wants contexts."""
    report = services.feature(ContextServices).report(source)
    if report is None:
        raise InputError(NOBODY_WANTS_ANY)
    return report


def _confirm(report: ContextReport, *, yes: bool) -> None:
    """Ask before spending much. Raises ``InputError`` if there is no terminal to ask on."""
    if yes or report.prices is None:
        return
    cost = report.prices.cost(report.rest)
    if cost <= report.ask_above:
        return
    question = f"writing {report.missing:,} contexts will cost about {cost:,.2f}"
    if not sys.stdin.isatty():
        raise InputError(f"{question}: run the command with --yes")
    click.confirm(f"{question}. Go on?", abort=True, err=True)


def _write(services: Services, report: ContextReport) -> None:
    """Write missing contexts, and index the pages that are then complete. Raises ``InputError`` without a
    model."""
    of_feature = services.feature(ContextServices)
    writer = of_feature.writer
    if writer is None:
        raise InputError("no language model is set: set contexts.model or chat.model")
    give_way()
    total, done = report.missing, 0
    with long_work("writing contexts") as show:

        def written(_ref: PageRef) -> None:
            nonlocal done
            done += 1
            show("writing contexts", Progress(done=done, total=max(total, done), unit="chunks"))

        try:
            while writer.run_once(written=written) is not None:
                pass
        except ModelError as error:
            console(stderr=True).print(f"the model is away: {error}")
        if complete := of_feature.store.complete_pages():  # an earlier run may have left some
            services.indexing.indexer.settle_pages(complete, lambda progress: show("indexing", progress))


def _print(report: ContextReport, *, as_json: bool) -> None:
    if as_json:
        print_json(report.document())
        return
    out = table_console()
    table = Table("source", "pages", "due", "chunks", "written", "failed", box=None)
    for each in report.sources:
        found = each.found
        numbers = (found.pages, found.due, found.chunks, found.written, found.failed)
        table.add_row(found.source, *(f"{number:,}" for number in numbers))
    out.print(table)
    out = console()
    for each in report.sources:
        for reason, number in each.reasons.items():
            out.print(f"{each.found.source}: {number:,} failed: {reason} (`auskunft contexts --retry`)")
    out.print(report.summary)
    tokens, rest = report.tokens, report.rest
    out.print(
        f"tokens so far: {tokens.prompt:,.0f} read, of these {tokens.cached:,.0f} cached, "
        f"{tokens.output:,.0f} written"
    )
    if report.missing:
        out.print(f"for the rest about {rest.prompt:,.0f} read, {rest.output:,.0f} written")
    if report.prices is not None:
        cost, more = report.prices.cost(tokens), report.prices.cost(rest)
        out.print(f"cost so far {cost:,.2f}, for the rest about {more:,.2f}, in the currency of the prices")
    if report.outdated:
        out.print(
            f"{report.outdated:,} pages were indexed for another model, prompt or glossary: "
            "`auskunft reindex` writes them anew"
        )
