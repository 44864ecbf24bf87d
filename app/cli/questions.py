"""``auskunft questions``: visitors' questions with their status and feedback."""

import sys
from datetime import UTC, datetime
from typing import Any

import click
from rich.table import Column, Table

from app.api.csv import csv_lines
from app.chat.questions import COLUMNS, Kind
from app.cli.common import TEXT, console, json_option, open_services, print_json

FILE_COLUMNS = 10_000
"""The width of a table in a file or pipe, so that every question is one line."""


@click.command()
@click.option("--site", type=TEXT, metavar="KEY", help="Only this site (default: all).")
@click.option("--unanswered", is_flag=True, help="Only those without a full answer.")
@click.option("--rated", is_flag=True, help="Only those with feedback.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only from that day on (UTC)."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for spreadsheets.")
@json_option
def questions(
    *, site: str | None, unanswered: bool, rated: bool, since: datetime | None, as_csv: bool, as_json: bool
) -> None:
    """List what visitors asked, how it was answered and what they said of it, the oldest first."""
    if unanswered and rated:
        raise click.UsageError("Give --unanswered or --rated, not both.")
    if as_csv and as_json:
        raise click.UsageError("Give --csv or --json, not both.")
    kind: Kind = "unanswered" if unanswered else "rated" if rated else "all"
    with open_services() as services:
        asked = services.chat.questions
        if site is not None:
            asked.check(site, [each.key for each in services.settings.sites])
        moment = since and since.replace(tzinfo=UTC)
        rows = [each.document() for each in asked.since(moment, site=site, kind=kind)]
    if as_json:
        print_json(rows)
    elif as_csv:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(line.encode() for line in csv_lines(COLUMNS, rows))
    else:
        _print(rows)


def _print(rows: list[dict[str, Any]]) -> None:
    names = ("asked_at", "site", "status", "rating", "question", "comment")
    table = Table(*(Column(name, overflow="fold") for name in names), box=None)
    for row in rows:
        table.add_row(*(" ".join(row[name].split()) for name in names))
    out = console(columns=None if sys.stdout.isatty() else FILE_COLUMNS)
    out.print(table if rows else "no questions")
