"""``auskunft index``: read a folder or file into the page store, then bring it to the index."""

import shlex
from pathlib import Path

import click

from app.background.importer import UNCONFIRMED, Importer, ImportResult
from app.cli.common import TEXT, console, give_way, open_services, warn_of_other_settings
from app.cli.progress import long_work
from app.search.generations import live_generation
from app.services import Services
from app.sources.deletion_guard import DeletionGuard
from app.sources.factory import EURLEX, FILES, make_reader
from ingest.protocols import Source


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--source", "name", type=TEXT, help="Name the pages' source; without: files, or eurlex for CELEX numbers."
)
@click.option(
    "--language", type=TEXT, metavar="L", help="Language (ISO 639-1) of pages that do not say, or of acts."
)
@click.option("--prune", is_flag=True, help="Delete pages of this source that PATH no longer has.")
@click.option("--confirm-deletions", is_flag=True, help="Delete missing pages however many they are.")
def index(path: Path, name: str | None, language: str | None, prune: bool, confirm_deletions: bool) -> None:
    """Index a folder of .html, .md and .txt files, or a .jsonl file with one page a line.

    Acts of EU law: a folder of their HTML with --source eurlex, or eurlex:32024R1689,32016R0679 to fetch
    them by their CELEX numbers.

    Run it again at any time: unchanged pages cost nothing.

    With --prune, nothing is deleted if a document could not be read (files of other kinds do not count); if
    more than a fifth of the pages is missing, and at least five are, nothing is done until that is confirmed.
    """
    give_way()
    default = EURLEX if str(path).startswith(f"{EURLEX}:") else FILES
    with open_services() as services:
        source = make_reader(
            services.settings,
            name or default,
            str(path),
            language=language,
            fetcher=lambda: services.sources.client,
        )
        services.indexing.generations.clean_up()
        live_generation(services.indexing.index, services.store.id)
        warn_of_other_settings(services)
        guard = DeletionGuard(command=_again(path, name, language, prune=prune), confirmed=confirm_deletions)
        result = run_import(services, source, prune=prune, guard=guard)
        if prune:
            services.sources.pull_log.forget_versions(source.name)  # what was deleted is to be fetched again
        print_summary(result)
    if result.failures or result.waiting:
        raise click.exceptions.Exit(1)


def run_import(
    services: Services, source: Source, *, prune: bool = False, guard: DeletionGuard = UNCONFIRMED
) -> ImportResult:
    """Import, and show on standard error how far that is."""
    with long_work("reading") as show:
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=show, guard=guard)
        return importer.run(source, prune=prune)


def print_summary(result: ImportResult) -> None:
    """Print the counts of all pages, the failures with their reasons, and warnings."""
    out = console()
    parts = [f"{result.indexed} indexed", f"{result.unchanged} unchanged"]
    parts += [f"{result.deleted} deleted"] if result.deleted else []
    parts += [f"{len(result.waiting)} waiting"] if result.waiting else []
    out.print(f"{', '.join(parts)}, {len(result.failures)} failed in {result.seconds:.1f} s")
    for name, failure in result.failures.items():
        out.print(f"  {name}: failed({failure.reason}): {failure.message}")
    for name, why in result.waiting.items():
        out.print(f"  {name}: waiting: {why}")
    for warning in result.warnings:
        out.print(f"  {warning}")


def _again(path: Path, name: str | None, language: str | None, *, prune: bool) -> str:
    """Return the command line that was given, without the confirmation."""
    options = ["--source", name] if name else []
    options += ["--language", language] if language else []
    options += ["--prune"] if prune else []
    return shlex.join(["auskunft", "index", str(path), *options])
