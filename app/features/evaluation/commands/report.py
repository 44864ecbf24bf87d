"""The options of commands that write a page for people."""

from pathlib import Path

import click

from app.features.evaluation.report.texts import LANGUAGES

report_option = click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page for people, too: HTML with all that it needs.",
)
report_language_option = click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="Of the report (default: en)."
)
