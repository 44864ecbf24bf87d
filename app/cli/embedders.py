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
    "--check", is_flag=True, help="Check the embedder in use instead: exit code 2 if anything is missing."
)
@click.option(
    "--processes",
    type=WholeNumber(1, 1_000),
    default=1,
    show_default=True,
    help="With --check: how many processes share this machine's or container's memory.",
)
def embedders(as_json: bool, check: bool, processes: int) -> None:
    """List the embedders and their options, and whether each can be used. Loads no model."""
    settings = load_settings()
    if check:
        check_embedder(settings, processes)
        console().print(f"embedder {settings.embedder} is ready")
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
        "* in use, as set by AUSKUNFT_EMBEDDER; [embedders.NAME] in auskunft.toml has its options"
    )


def _options(info: EmbedderInfo) -> str:
    """Format the options: the required ones, then the optional ones in brackets."""
    optional = f"[{', '.join(info.optional)}]" if info.optional else ""
    return " ".join(filter(None, (", ".join(info.required), optional)))
