"""``auskunft status``, ``pages``, ``remove``, ``include``: checks, lists of pages, excluding pages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import click
from rich.table import Column, Table

from app.chat.sites import select_sources
from app.cli.common import TEXT, console, json_option, open_services, print_json, source_option, table_console
from app.errors import UnwritableError
from app.monitoring.check import Check, CheckDocument
from app.monitoring.readiness import checks
from app.monitoring.source_states import source_states
from app.pages.types import PageState
from app.search.index import live_generation
from app.services import Services
from ingest.types import PageRef

Counts = Mapping[str, Mapping[PageState, int]]
"""Pages by source and state."""


@click.command()
@json_option
def status(as_json: bool) -> None:
    """Show what is indexed and whether every part works; exit code 1 if one does not."""
    with open_services() as services:
        counts = _counts(services)
        pulled = _pulled(services) if counts else []
        results = checks(services)
    if as_json:
        parts = [CheckDocument.model_validate(check).to_json() for check in results]
        print_json({"sources": counts or {}, "parts": parts})
    else:
        _print_status(counts, results)
        for line in pulled:
            console().print(line)
    if not all(check.ok for check in results):
        raise click.exceptions.Exit(1)


def _counts(services: Services) -> Counts | None:
    """Count pages by source and state. Return None if the page store cannot be written, which the disk check
    reports."""
    try:
        services.release_dead()
        return services.store.counts_by_source()
    except UnwritableError:
        return None


def _pulled(services: Services) -> list[str]:
    """The progress of the pulls that are under way."""
    states = ((state.name, state.progress) for state in source_states(services))
    return [f"{name} is being pulled: {progress.in_words()}" for name, progress in states if progress]


def _print_status(counts: Counts | None, results: Sequence[Check]) -> None:
    out = console()
    for check in results:
        out.print(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.detail}")
    for source, states in (counts or {}).items():
        out.print(f"{source}: {', '.join(f'{count} {state}' for state, count in states.items())}")
    if counts == {}:
        out.print("no pages yet: auskunft index PATH")


@click.command()
@click.option("--failed", is_flag=True, help="Only pages that could not be indexed.")
@source_option
@json_option
def pages(failed: bool, source: str | None, as_json: bool) -> None:
    """List pages with their states and why any failed."""
    with open_services() as services:
        rows = list(page_rows(services, _scope(services, source), failed))
    if as_json:
        print_json(rows)
        return
    columns = [
        Column(name, overflow="fold") for name in ("state", "source", "language", "id", "title", "reason")
    ]
    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(row["state"], row["source"], row["language"], row["id"], row["title"], row["reason"])
    table_console().print(table if rows else "no pages")


def _scope(services: Services, source: str | None) -> str | None:
    if source is None or any(services.page_list.rejected(source)):
        return source
    return next(iter(select_sources(services.store, source)))


def page_rows(services: Services, source: str | None, failed: bool) -> Iterator[dict[str, Any]]:
    """Yield every page with its state, announced pages, and documents that could not be read."""
    announced = [] if failed else services.sources.announcements.records(source)
    to_fetch = (replace(row, reason=row.reason or "to be fetched") for row in announced)
    for row in chain(services.page_list.records(source, "failed" if failed else None), to_fetch):
        yield {
            "id": row.ref.id,
            "language": row.ref.language,
            "source": row.ref.source,
            "url": row.url,
            "title": row.title,
            "state": row.state,
            "reason": row.reason,
        }
    for item in services.page_list.rejected(source):
        yield {
            "id": item.document,
            "language": "",
            "source": item.source,
            "url": "",
            "title": "",
            "state": "failed",
            "reason": f"{item.reason}: {item.message}",
        }


@click.command()
@click.argument("page_id", type=TEXT, metavar="ID")
@source_option
def remove(page_id: str, source: str | None) -> None:
    """Remove a page from all answers; it stays out even if it is indexed again."""
    _change(page_id, lambda services: services.store.exclude(source, page_id), "removed")


@click.command()
@click.argument("page_id", type=TEXT, metavar="ID")
@source_option
def include(page_id: str, source: str | None) -> None:
    """Put a removed page back."""
    _change(page_id, lambda services: services.store.include(source, page_id), "included")


def _change(page_id: str, change: Callable[[Services], list[PageRef]], done: str) -> None:
    with open_services() as services:
        refs = change(services)
        live_generation(services.indexing.index, services.store.id)
        while services.indexing.indexer.sync_pages(refs=refs):
            pass
    languages = ", ".join(ref.language for ref in refs)
    console().print(f"{done}: {page_id} ({languages})")
