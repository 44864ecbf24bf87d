"""Arguments and options that several commands have."""

from pathlib import Path

import click

from app.cli.common import TEXT
from app.cli.values import AMOUNT, FILE
from app.features.evaluation.report.texts import LANGUAGES

pool_argument = click.argument("pool", type=FILE)
spans_option = click.option(
    "--spans",
    type=FILE,
    metavar="FILE",
    help="File with the places of the answers: JSON Lines with id, spans, must.",
)
judge_option = click.option(
    "--judge", type=TEXT, metavar="MODEL", help="The model that grades (default: the setting judge.model)."
)
max_cost_option = click.option(
    "--max-cost",
    type=AMOUNT,
    metavar="AMOUNT",
    help="Spend up to this amount on grading without asking (default: the setting judge.ask_above).",
)
report_option = click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a report: one self-contained HTML page.",
)
report_language_option = click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="Language of the report (default: en)."
)
