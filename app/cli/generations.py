"""``auskunft reindex``, ``generations``, ``rollback``: rebuilding the index while it serves."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import click
from rich.table import Table

from app.background.importer import Importer
from app.chat.sites import select_sources
from app.cli.common import console, give_way, json_option, open_services, print_json, source_option
from app.cli.index import print_summary
from app.cli.progress import long_work
from app.cli.rebuilds import cancel_rebuild, request_rebuild
from app.cli.values import NUMBER
from app.errors import IndexUnavailableError, InputError, NotFoundError
from app.indexing.rebuild import RebuildResult
from app.pages.types import Failed
from app.search.index import SearchIndex, belongs_to
from app.services import Services
from ingest.types import PageRef


@click.command()
@source_option
@click.option(
    "--take-over",
    is_flag=True,
    help="Also replace another installation's index, or one with unknown pages.",
)
@click.option("--confirm-deletions", is_flag=True, help="With --take-over: even if no page would be left.")
@click.option("--queue", is_flag=True, help="Leave the work to `auskunft serve` or the workers.")
@click.option("--wait", is_flag=True, help="With --queue: wait until it is done.")
@click.option("--cancel", is_flag=True, help="Cancel the rebuild that is running in the queue.")
def reindex(
    source: str | None, *, take_over: bool, confirm_deletions: bool, queue: bool, wait: bool, cancel: bool
) -> None:
    """Rebuild the index with the current settings, while the old one keeps serving.

    With --source, the pages of one source are rewritten in place.
    """
    give_way()
    if wait and not queue:
        raise InputError("--wait needs --queue: without it, the command always waits")
    if confirm_deletions and (queue or not take_over):
        raise InputError("--confirm-deletions needs --take-over, and cannot be combined with --queue")
    with open_services() as services:
        services.indexing.generations.clean_up()
        if cancel:
            cancel_rebuild(services)
        elif queue:
            request_rebuild(services, source, take_over=take_over, wait=wait)
        elif source is not None:
            _rewrite_source(services, source)
        else:
            with long_work("building") as show:
                rebuilt = services.indexing.rebuilder.build(
                    partial(show, "building"), take_over=take_over, may_be_empty=confirm_deletions
                )
            _report(rebuilt)


@click.command()
@click.argument("number", type=NUMBER, required=False, metavar="[N]")
def rollback(number: int | None) -> None:
    """Update an earlier generation and make it live again (default: the newest one kept)."""
    give_way()
    with open_services() as services:
        services.indexing.generations.clean_up()
        with long_work("catching up") as show:
            rebuilt = services.indexing.rebuilder.rollback(number, partial(show, "catching up"))
    _report(rebuilt)


@click.command()
@click.option("--drop", type=NUMBER, metavar="N", help="Delete this generation first.")
@json_option
def generations(drop: int | None, as_json: bool) -> None:
    """List the index generations: which is live, which are kept, and what they were made with."""
    with open_services() as services:
        services.indexing.generations.clean_up()
        if drop is not None:
            services.indexing.generations.drop(drop)
        records = list(_records(services.indexing.opened_index, services.store.id))
    if as_json:
        print_json(records)
        return
    table = Table("number", "state", "created", "embedder", "pages", box=None)
    for record in records:
        embedder = f"{record['embedder']['name']} ({record['embedder']['dims']})"
        pages = "-" if record["pages"] is None else str(record["pages"])
        state = record["state"] if record["own"] else f"{record['state']}, foreign"
        table.add_row(str(record["number"]), state, record["created"][:19], embedder, pages)
    console().print(table if records else "no generations: run `auskunft reindex` to build one")


def _records(index: SearchIndex, owner: str) -> Iterator[dict[str, Any]]:
    for generation in index.generations():
        with suppress(NotFoundError):  # dropped meanwhile
            yield {
                "number": generation.number,
                "state": generation.state,
                "created": generation.created.isoformat(),
                "embedder": dict(generation.recipe.embedder),
                "own": belongs_to(generation, owner),
                "pages": _pages(index, generation.number),
            }


def _pages(index: SearchIndex, number: int) -> int | None:
    """Count the pages that a generation serves; ``None`` if it cannot be read."""
    try:
        return index.count(number)
    except IndexUnavailableError:
        return None


def _rewrite_source(services: Services, source: str) -> None:
    [name] = select_sources(services.store, source)
    refs = services.indexing.rebuilder.requeue(name)
    with long_work("indexing") as show:
        result = Importer(store=services.store, indexer=services.indexing.indexer, show=show).rewrite(refs)
    print_summary(result)
    if result.failures:
        raise click.exceptions.Exit(1)


def _report(rebuilt: RebuildResult) -> None:
    out = console()
    kept = f"; {rebuilt.kept} is kept for `auskunft rollback`" if rebuilt.kept is not None else ""
    failed = f", {len(rebuilt.failures)} failed{_reasons(rebuilt.failures)}"
    out.print(
        f"{rebuilt.pages} pages{failed} in {rebuilt.seconds:.1f} s: generation {rebuilt.number} is live{kept}"
    )
    if rebuilt.new_embedder:
        out.print("the embedder has changed: restart `auskunft serve` if it runs with the old settings")
    for ref, failure in rebuilt.failures.items():
        out.print(f"  {ref.id}: failed({failure.reason}): {failure.message}")
    if rebuilt.failures:
        raise click.exceptions.Exit(1)


def _reasons(failures: Mapping[PageRef, Failed]) -> str:
    counted = Counter(failure.reason for failure in failures.values()).most_common()
    return f" ({', '.join(f'{count} {reason}' for reason, count in counted)})" if counted else ""
