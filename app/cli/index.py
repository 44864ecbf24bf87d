"""``auskunft index``: import a folder, file, website or acts of law into the page store, then index them."""

import shlex
from pathlib import Path

import click

from app.background.importer import UNCONFIRMED, Importer, ImportResult
from app.cli.common import TEXT, console, give_way, open_services, warn_of_other_settings
from app.cli.progress import long_work
from app.cli.pull import pull_and_index
from app.errors import InputError
from app.search.index import live_generation
from app.services import Services
from app.settings.sources import SourceSettings
from app.sources.deletion_guard import DeletionGuard
from app.sources.factory import EURLEX, FILES, WEBSITE, make_reader, make_website
from app.sources.pull import recipe_of
from ingest.protocols import Source


@click.command()
@click.argument("path", type=click.Path())
@click.option(
    "--source", "name", type=TEXT, help="Name the pages' source; without: files, or eurlex for CELEX numbers."
)
@click.option(
    "--language", type=TEXT, metavar="L", help="Language (ISO 639-1) of pages that do not say, or of acts."
)
@click.option(
    "--base-url",
    type=TEXT,
    metavar="URL",
    help="The folder's address on the web, for links to its pages.",
)
@click.option("--prune", is_flag=True, help="Delete pages of this source that PATH no longer has.")
@click.option("--confirm-deletions", is_flag=True, help="Delete missing pages however many they are.")
def index(
    *,
    path: str,
    name: str | None,
    language: str | None,
    base_url: str | None,
    prune: bool,
    confirm_deletions: bool,
) -> None:
    """Index a folder or file, a website, or acts of EU law.

    \b
    Files: HTML (.html, .htm, .xhtml), Markdown (.md, .markdown), text (.txt),
    PDF (.pdf), Word (.docx), OpenDocument (.odt); JSON Lines (.jsonl), one page
    a line. With --base-url https://www.town.example, a/b.html has the address
    https://www.town.example/a/b.html, a/index.html .../a/, and a/b.md .../a/b/,
    unless the page names another.

    A website: its address, https://www.town.example. Its robots.txt holds; its pages come from its sitemaps,
    or else by its links.

    Acts of EU law: a folder of their HTML with --source eurlex, or eurlex:32024R1689,32016R0679 to fetch
    them by their CELEX numbers.

    Run it again at any time: unchanged pages cost nothing.

    With --prune, nothing is deleted if a document could not be read (files of other kinds do not count); if
    more than a fifth of the pages is missing, and at least five are, nothing is done until that is confirmed.
    """
    give_way()
    if path.lower().startswith(("http://", "https://")):
        _refuse_base_url(base_url, "a website has addresses of its own")
        _index_website(path, name, language, prune=prune, confirmed=confirm_deletions)
        return
    path = str(Path(path))
    default = EURLEX if path.startswith(f"{EURLEX}:") else FILES
    if (name or default) == EURLEX:
        _refuse_base_url(base_url, "acts of EU law have addresses of their own")
    with open_services() as services:
        source = make_reader(
            services.settings,
            name or default,
            path,
            language=language,
            fetcher=lambda: services.sources.client,
            base_url=base_url,
        )
        services.indexing.generations.clean_up()
        live_generation(services.indexing.index, services.store.id)
        warn_of_other_settings(services)
        guard = DeletionGuard(
            command=_again(path, name, language, base_url=base_url, prune=prune), confirmed=confirm_deletions
        )
        result = run_import(services, source, prune=prune, guard=guard)
        if prune:
            services.sources.pull_log.forget_versions(source.name)  # so that deleted pages are fetched again
        print_summary(result)
    if result.failures or result.waiting:
        raise click.exceptions.Exit(1)


def run_import(
    services: Services, source: Source, *, prune: bool = False, guard: DeletionGuard = UNCONFIRMED
) -> ImportResult:
    """Import, and show the progress on standard error."""
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


def _refuse_base_url(base_url: str | None, why: str) -> None:
    if base_url:
        raise InputError(f"--base-url is for files: {why}")


def _index_website(
    address: str, name: str | None, language: str | None, *, prune: bool, confirmed: bool
) -> None:
    if prune:
        raise InputError("--prune is for files: pages of a website are deleted when two runs found them gone")
    with open_services() as services:
        client = services.sources.client
        source = make_website(services.settings, address, name=name, language=language, fetcher=client)
        services.indexing.generations.clean_up()
        live_generation(services.indexing.index, services.store.id)
        warn_of_other_settings(services)
        command = _again(address, name, language)
        guard = DeletionGuard(command=command, confirmed=confirmed)
        table = services.settings.sources.get(source.name, SourceSettings(kind=WEBSITE))
        recipe = recipe_of(table, address=address, language=language)
        puller = services.sources.puller
        pull_and_index(
            services,
            source.name,
            lambda progress: puller.pull_source(source, recipe=recipe, guard=guard, progress=progress),
        )


def _again(
    path: str, name: str | None, language: str | None, *, base_url: str | None = None, prune: bool = False
) -> str:
    """Return the command line as given, without the confirmation."""
    options = ["--source", name] if name else []
    options += ["--language", language] if language else []
    options += ["--base-url", base_url] if base_url else []
    options += ["--prune"] if prune else []
    return shlex.join(["auskunft", "index", path, *options])
