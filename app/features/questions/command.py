"""The commands about visitors' questions.

* ``auskunft questions``: questions with their answers and feedback
* ``auskunft question-groups``: groups of questions that mean the same, with their counts
"""

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time
from itertools import islice
from typing import Any, get_args

import click
from rich.table import Column, Table

from app.api.csv import csv_lines
from app.chat.outcomes import OUTCOMES, Outcome
from app.cli.common import TEXT, console, json_option, open_services, print_json, table_console
from app.cli.values import DAY, NUMBER
from app.features.questions.filter import Kind, QuestionFilter, RatingFilter
from app.features.questions.gaps import PAGE as GROUPS
from app.features.questions.gaps import GapState, QuestionGroupDocument, QuestionGroupsDocument
from app.features.questions.services import QuestionServices
from app.features.questions.store import COLUMNS, PAGE, QuestionCountsDocument
from app.indexing.stopping import never


@click.command()
@click.option("--site", type=TEXT, metavar="KEY", help="Only this site (default: all).")
@click.option("--unanswered", is_flag=True, help="Only those whose visitors saw no full answer.")
@click.option("--rated", is_flag=True, help="Only those with feedback.")
@click.option("--since", type=DAY, metavar="DAY", help="Only since this day (UTC).")
@click.option("--until", type=DAY, metavar="DAY", help="Only until the end of this day (UTC).")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="Only those whose visitors saw this.")
@click.option(
    "--language", type=TEXT, metavar="CODE", help="Only those answered in this language, such as de."
)
@click.option("--rating", type=click.Choice(get_args(RatingFilter)), help="Only those with this rating.")
@click.option("--text", type=TEXT, default="", help="Only those with all of these words.")
@click.option("--limit", type=NUMBER, metavar="N", help=f"The newest N (table: {PAGE}, else all).")
@click.option("--counts", is_flag=True, help="Print how many there are, not the questions.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for spreadsheets.")
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON document per line.")
@json_option
def questions(
    *,
    site: str | None,
    unanswered: bool,
    rated: bool,
    since: datetime | None,
    until: datetime | None,
    outcome: Outcome | None,
    language: str | None,
    rating: RatingFilter | None,
    text: str,
    limit: int | None,
    counts: bool,
    as_csv: bool,
    as_jsonl: bool,
    as_json: bool,
) -> None:
    """List what visitors asked, what they saw of the answer and how they rated it, newest first."""
    if unanswered and rated:
        raise click.UsageError("Use --unanswered or --rated, not both.")
    if as_csv + as_json + as_jsonl > 1:
        raise click.UsageError("Use only one of --csv, --json and --jsonl.")
    if counts and (as_csv or as_jsonl):
        raise click.UsageError("--counts cannot be combined with --csv or --jsonl.")
    kind: Kind = "unanswered" if unanswered else "rated" if rated else "all"
    chosen = QuestionFilter(
        site=site,
        since=since and since.replace(tzinfo=UTC),
        until=until and datetime.combine(until, time.max, UTC),
        outcomes=None if outcome is None else (outcome,),
        language=language,
        rating=rating,
        text=text,
    ).of_kind(kind)
    with open_services() as services:
        asked = services.feature(QuestionServices).questions
        if site is not None:
            asked.check(site, [each.key for each in services.settings.sites])
        if counts:
            _show_counts(asked.counts(chosen), as_json=as_json)
            return
        rows = (each.to_json() for each in islice(asked.all(chosen), limit))
        if as_json:
            print_json(list(rows))
        elif as_csv:
            _write(csv_lines(COLUMNS, rows))
        elif as_jsonl:
            _write(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            shown = list(islice(rows, limit or PAGE))
            _print(shown, more=asked.counts(chosen).total - len(shown))


def _write(lines: Iterable[str]) -> None:
    """Write to standard output in UTF-8, whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.writelines(line.encode() for line in lines)


def _print(rows: list[dict[str, Any]], *, more: int) -> None:
    names = ("asked_at", "site", "outcome", "rating", "question", "comment")
    table = Table(*(Column(name, overflow="fold") for name in names), box=None)
    for row in rows:
        table.add_row(*(" ".join(row[name].split()) for name in names))
    table_console().print(table if rows else "no questions")
    if rows and more:
        console(stderr=True).print(f"{more:,} more: --limit {len(rows) + more}")


def _show_counts(found: QuestionCountsDocument, *, as_json: bool) -> None:
    document = found.to_json()
    if as_json:
        print_json(document)
        return
    out = console()
    out.print(f"{document.pop('total'):,} questions")
    for name, counted in document.items():
        out.print(f"{name}: {_listed(counted)}")


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name or 'unknown'} {count:,}" for name, count in counted.items()) or "none"


@click.command("question-groups")
@click.option("--site", type=TEXT, metavar="KEY", help="Only this site (default: all).")
@click.option("--limit", type=NUMBER, default=GROUPS, metavar="N", help="The largest N.")
@click.option(
    "--state",
    type=click.Choice(["all", "open", "done"]),
    default="all",
    help="open: not answered well and not ticked off since; done: ticked off.",
)
@click.option("--now", is_flag=True, help="Group them first (also done every night).")
@json_option
def question_groups(*, site: str | None, limit: int, state: GapState, now: bool, as_json: bool) -> None:
    """List what visitors asked, grouped by meaning: how often, how it was answered and what is missing."""
    with open_services() as services:
        of_feature = services.feature(QuestionServices)
        if site is not None:
            of_feature.questions.check(site, [each.key for each in services.settings.sites])
        if now:
            of_feature.grouping.run(never)
        sites = None if site is None else [site]
        found = of_feature.gaps.listed(sites=sites, state=state, limit=limit)
    if as_json:
        print_json(found.to_json())
    else:
        _print_groups(found)


def _print_groups(found: QuestionGroupsDocument) -> None:
    folded = [Column(name, overflow="fold") for name in ("such as", "missing", "page")]
    table = Table("questions", "unanswered", "doubtful", "week", "site", *folded, box=None)
    for group in found.groups:
        figures = group.count, group.unanswered, group.doubtful, f"{group.week_before} → {group.this_week}"
        page = group.page.title if group.page else ""
        texts = group.site, " ".join(group.question.split()), _missing(group), page
        table.add_row(*map(str, figures), *texts)
    table_console().print(table if found.groups else "no groups: --now makes them")


def _missing(group: QuestionGroupDocument) -> str:
    return ", ".join([*group.absent_words, *(["a price"] if group.lacks_price else [])])
