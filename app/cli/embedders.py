"""``auskunft embedders``: the embedders and their options."""

import click
from rich.table import Table

from app.cli.common import console, json_option, print_json, table_console
from app.cli.values import WholeNumber
from app.indexing.embedders import EmbedderInfo, check_embedder, list_embedders
from app.settings.settings import load_settings


@click.command()
@json_option
@click.option(
    "--check", is_flag=True, help="Check the one that is used instead: exit code 2 if it lacks anything."
)
@click.option(
    "--processes",
    type=WholeNumber(1, 1_000),
    default=1,
    show_default=True,
    help="With --check: as many as share this machine's or container's memory.",
)
def embedders(as_json: bool, check: bool, processes: int) -> None:
    """List the embedders, whether each can be used, and its options. Loads no model."""
    settings = load_settings()
    if check:
        check_embedder(settings, processes)
        console().print(f"embedder {settings.embedder} has what it needs")
        return
    infos = list_embedders(settings)
    if as_json:
        print_json([info.document() for info in infos])
        return
    table = Table("", "name", "state", "dims", "options", box=None)
    for info in infos:
        dims = "" if info.dims is None else str(info.dims)
        table.add_row("*" if info.used else "", info.name, info.lacks or "ready", dims, _options(info))
    table_console().print(table)
    console().print(
        "* is used: AUSKUNFT_EMBEDDER names it, [embedders.NAME] in auskunft.toml holds its options"
    )


def _options(info: EmbedderInfo) -> str:
    """Format the options: the required ones, then the optional ones in brackets."""
    optional = f"[{', '.join(info.optional)}]" if info.optional else ""
    return " ".join(filter(None, (", ".join(info.required), optional)))
