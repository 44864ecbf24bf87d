"""The pool of questions that several commands read."""

import click

from app.cli.values import FILE

pool_argument = click.argument("pool", type=FILE)
spans_option = click.option(
    "--spans",
    type=FILE,
    metavar="FILE",
    help="Where the answers stand: JSON Lines with id, spans, must.",
)
