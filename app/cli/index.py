"""``auskunft index``: read a folder or file into the page store, then bring it to the index."""

from pathlib import Path

import click

from app.cli.common import TEXT, console, open_services, progress_bar, warn_of_other_settings
from app.importing import Importer, ImportResult
from app.search.live import live_generation
from app.services import Services
from ingest import registry
from ingest.protocols import Source


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--source", "name", type=TEXT, default="files", show_default=True, help="Name the pages' source."
)
@click.option("--language", type=TEXT, metavar="L", help="Language (ISO 639-1) of pages that do not say.")
@click.option("--prune", is_flag=True, help="Delete pages of this source that PATH no longer has.")
def index(path: Path, name: str, language: str | None, prune: bool) -> None:
    """Index a folder of .html, .md and .txt files, or a .jsonl file with one page a line.

    Run it again at any time: unchanged pages cost nothing.
    """
    with open_services() as services:
        source: Source = registry.create(
            "sources",
            "files",
            name=name,
            path=str(path),
            language=language,
            max_bytes=services.settings.max_page_bytes,
        )
        services.generations.clean_up()
        live_generation(services.index, services.store.id)
        warn_of_other_settings(services)
        result = run_import(services, source, prune=prune)
        print_summary(result)
    if result.failures:
        raise click.exceptions.Exit(1)


def run_import(services: Services, source: Source, *, prune: bool = False) -> ImportResult:
    """Import with a progress bar on standard error."""
    with progress_bar("reading") as show:
        return Importer(store=services.store, indexer=services.indexer, progress=show).run(
            source, prune=prune
        )


def print_summary(result: ImportResult) -> None:
    """What became of every page, failures with their reasons."""
    out = console()
    parts = [f"{result.indexed} indexed", f"{result.unchanged} unchanged"]
    parts += [f"{result.deleted} deleted"] if result.deleted else []
    out.print(f"{', '.join(parts)}, {len(result.failures)} failed in {result.seconds:.1f} s")
    for name, failure in result.failures.items():
        out.print(f"  {name}: failed({failure.reason}): {failure.message}")
    for warning in result.warnings:
        out.print(f"  {warning}")
