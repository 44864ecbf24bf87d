"""``auskunft question-groups``: visitors' questions that mean the same, with their counts."""

import sys

import click
from rich.table import Column, Table

from app.chat.question_groups import PAGE, GroupList
from app.cli.common import TEXT, console, json_option, open_services, print_json
from app.cli.questions import FILE_COLUMNS
from app.cli.values import NUMBER
from app.indexing.stopping import never


@click.command("question-groups")
@click.option("--site", type=TEXT, metavar="KEY", help="Only this site (default: all).")
@click.option("--limit", type=NUMBER, default=PAGE, metavar="N", help="The largest N.")
@click.option("--now", is_flag=True, help="Group them first; it is done every night, too.")
@json_option
def question_groups(*, site: str | None, limit: int, now: bool, as_json: bool) -> None:
    """List what visitors asked, grouped by meaning: how often, and the share not fully answered."""
    with open_services() as services:
        if site is not None:
            services.chat.questions.check(site, [each.key for each in services.settings.sites])
        if now:
            services.background.grouping.run(never)
        found = services.chat.question_groups.largest(site=site, limit=limit)
    if as_json:
        print_json(found.document())
    else:
        _print(found)


def _print(found: GroupList) -> None:
    table = Table("questions", "unanswered", "site", Column("such as", overflow="fold"), box=None)
    for group in found.groups:
        share = f"{group.unanswered / group.count:.0%}"
        table.add_row(str(group.count), share, group.site, " ".join(group.question.split()))
    out = console(columns=None if sys.stdout.isatty() else FILE_COLUMNS)
    out.print(table if found.groups else "no groups: --now makes them")
