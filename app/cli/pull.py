"""``auskunft pull`` and ``auskunft sources``: pulling a source, and the status of all sources."""

from collections.abc import Callable, Iterator
from typing import Any

import click
from rich.table import Table

from app.background.importer import Importer, ImportResult
from app.cli.common import (
    TEXT,
    actor,
    check_source,
    console,
    give_way,
    json_option,
    open_services,
    print_json,
    warn_of_other_settings,
)
from app.cli.progress import long_work
from app.indexing.progress import Progress
from app.indexing.stopping import HANDED_BACK
from app.monitoring.source_states import EVENTS, SourceStateDocument, source_states
from app.pages.pulls import Decision
from app.search.index import live_generation
from app.services import Services
from app.sources.pull_result import PullResult
from app.sources.source_pull import Progress as PullProgress
from ingest.types import PageRef


@click.command()
@click.argument("source", type=TEXT)
@click.option("--confirm-deletions", is_flag=True, help="Delete missing pages, however many there are.")
def pull(source: str, confirm_deletions: bool) -> None:
    """Fetch and index what changed in SOURCE, the NAME of a table [sources.NAME] in the settings.

    Pages that are missing from two complete listings in a row are deleted. If more than a fifth, and at least
    five, are missing, nothing is deleted until you confirm it.
    """
    give_way()
    with open_services() as services:
        services.indexing.generations.clean_up()
        live_generation(services.indexing.index, services.store.id)
        warn_of_other_settings(services)
        puller = services.sources.puller
        pull_and_index(
            services,
            source,
            lambda progress: puller.pull(source, confirm_deletions=confirm_deletions, progress=progress),
        )


def pull_and_index(services: Services, name: str, pull_it: Callable[[PullProgress], PullResult]) -> None:
    """Pull the source ``name``, index the changes, and print a summary. Exit with 1 if there was a problem or
    a page failed."""
    with long_work("fetching") as show:
        pulled = pull_it(lambda done, total: show("fetching", Progress(done=done, total=total)))
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=show)
        wanted = dict.fromkeys((*pulled.changed, *pulled.deleted, *_interrupted(services, name)))
        indexed = importer.rewrite(list(wanted))
    _print_summary(pulled, indexed)
    if pulled.problem() or indexed.failures:
        raise click.exceptions.Exit(1)


def _interrupted(services: Services, source: str) -> Iterator[PageRef]:
    """Yield the pages that an interrupted pull left to be indexed."""
    yield from (row.ref for row in services.page_list.records(source, "pending"))
    waiting = services.page_list.records(source, "waiting")
    yield from (row.ref for row in waiting if row.reason == HANDED_BACK.reason)


def _print_summary(pulled: PullResult, indexed: ImportResult) -> None:
    out = console()
    counts = [f"{len(pulled.changed)} changed", f"{pulled.unchanged} unchanged"]
    counts += [f"{len(pulled.deleted)} deleted"] if pulled.deleted else []
    counts += [f"{len(pulled.waiting)} waiting"] if pulled.waiting else []
    counts += [f"{len(pulled.failures) + len(indexed.failures)} failed"]
    seconds = pulled.seconds + indexed.seconds
    out.print(f"{pulled.listed} listed: {', '.join(counts)} in {seconds:.1f} s")
    if pulled.absent:
        out.print(
            f"  {pulled.absent} no longer listed: will be deleted if also missing from the next complete "
            "listing"
        )
    for ref, why in pulled.waiting.items():
        out.print(f"  {ref.id} ({ref.language}): waiting: {why}")
    for ref, error in pulled.failures.items():
        out.print(f"  {ref.id} ({ref.language}): failed({error.reason}): {error}")
    for name, failure in indexed.failures.items():
        out.print(f"  {name}: failed({failure.reason}): {failure.message}")
    for warning in (*pulled.warnings, *indexed.warnings):
        out.print(f"  {warning}")


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def sources(context: click.Context, as_json: bool) -> None:
    """List the sources: their pages, their last and next pulls, and any problems."""
    if context.invoked_subcommand is not None:
        return
    with open_services() as services:
        states = source_states(services)
    rows = [_row(state) for state in states]
    if as_json:
        print_json(rows)
        return
    out = console()
    table = Table("source", "kind", "pages", "last pull", "next pull", box=None)
    for row in rows:
        pages = ", ".join(f"{count} {state}" for state, count in row["pages"].items()) or "none"
        table.add_row(row["source"], row["kind"], pages, _moment(row["last_pull"]), _next(row))
    out.print(table if rows else "no sources: auskunft index PATH, or a table [sources.NAME]")
    for state in states:
        if state.progress:
            out.print(f"{state.name}: {state.progress.in_words()}")
        if state.problem:
            out.print(f"{state.name}: {state.problem}")
        if state.halt == "halted":
            name = state.name
            out.print(f"{name}: run `auskunft sources take-over {name}` or `auskunft sources keep {name}`")


@sources.command("reset-revisions")
@click.argument("source", type=TEXT)
def reset_revisions(source: str) -> None:
    """Forget the revisions of SOURCE, if its CMS was restored and restarted its numbering.

    Everything that it sends next counts as newer, and the next pull fetches every page.
    """
    with open_services() as services:
        log = services.sources.pull_log
        check_source(source, {*services.store.sources(), *services.settings.sources, *log.by_source()})
        services.store.reset_revisions(source)
        log.forget_versions(source)
    console().print(f"revisions of {source} forgotten: the next pull fetches all its pages")


@sources.command("take-over")
@click.argument("source", type=TEXT)
def take_over(source: str) -> None:
    """Let the next pull of SOURCE accept the changes that it was halted for."""
    _decide(source, "taken_over")
    console().print(f"the next pull of {source} takes over what is there now: auskunft pull {source}")


@sources.command()
@click.argument("source", type=TEXT)
def keep(source: str) -> None:
    """Keep the old pages of SOURCE, whose pull was halted, and stop warning until it recovers."""
    _decide(source, "kept")
    console().print(f"the old pages of {source} stay until its pulls find no more problems")


def _decide(source: str, decision: Decision) -> None:
    with open_services() as services:
        services.sources.pull_log.decide(source, decision, actor())


def _row(state: SourceStateDocument) -> dict[str, Any]:
    document = state.to_json()
    names = ("kind", "pages", "last_pull", "next_pull", "progress", "problem")
    return {"source": state.name, **{name: document[name] for name in names}}


def _moment(text: str | None) -> str:
    return text[:19].replace("T", " ") if text is not None else "-"


def _next(row: dict[str, Any]) -> str:
    if row["next_pull"] is None and row["kind"] not in ("", EVENTS):
        return "on demand"
    return _moment(row["next_pull"])
