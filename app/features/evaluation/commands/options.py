"""The pool of questions that several commands read."""

from pathlib import Path

import click

pool_argument = click.argument("pool", type=click.Path(path_type=Path))
spans_option = click.option(
    "--spans",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the answers stand: JSON Lines with id, spans, must.",
)
