"""``auskunft embedders``: the embedders and their options."""

import sys

import click
from rich.table import Table

from app.cli.common import console, json_option, print_json
from app.cli.pages import FILE_COLUMNS
from app.indexing.embedders import EmbedderInfo, list_embedders
from app.settings.settings import load_settings


@click.command()
@json_option
def embedders(as_json: bool) -> None:
    """List the embedders, whether each can be used, and its options. Loads no model."""
    infos = list_embedders(load_settings())
    if as_json:
        print_json([info.document() for info in infos])
        return
    table = Table("", "name", "state", "dims", "options", box=None)
    for info in infos:
        dims = "" if info.dims is None else str(info.dims)
        table.add_row("*" if info.used else "", info.name, info.lacks or "ready", dims, _options(info))
    console(columns=None if sys.stdout.isatty() else FILE_COLUMNS).print(table)
    console().print(
        "* is used: AUSKUNFT_EMBEDDER names it, [embedders.NAME] in auskunft.toml holds its options"
    )


def _options(info: EmbedderInfo) -> str:
    """Format the options: the required ones, then the optional ones in brackets."""
    optional = f"[{', '.join(info.optional)}]" if info.optional else ""
    return " ".join(filter(None, (", ".join(info.required), optional)))
