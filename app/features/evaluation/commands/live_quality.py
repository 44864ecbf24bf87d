"""``auskunft live-quality``: grades of answers to visitors by a judge, and the visitors' ratings."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import click
from rich.table import Table

from app.cli.common import console, json_option, open_services, print_json
from app.cli.values import WholeNumber
from app.features.evaluation.grading import prices_of, spent
from app.features.evaluation.live_figures import GradedVisit, LiveQuality, Ratings
from app.features.evaluation.live_figures import live_quality as figures
from app.features.evaluation.rubric import CRITERIA, Weights
from app.features.evaluation.services import EvaluationServices
from app.pages.database import utc_now
from ingest.text import shortened

DAYS = 30
SHOWN_CHARACTERS = 500
SCORES = (*CRITERIA, "composite")
OFF = "no grades: judge.live_answers is 0, so no answers to visitors are graded"
NONE_YET = "no grades yet: the answers of a day are graded in the night after it"


@click.command("live-quality")
@click.option(
    "--days", type=WholeNumber(1, 3_650), default=DAYS, show_default=True, metavar="N",
    help="Number of days, including today.",
)  # fmt: skip
@click.option("--show", type=WholeNumber(), default=0, metavar="N", help="Print the N worst answers.")
@json_option
def live_quality(*, days: int, show: int, as_json: bool) -> None:
    """Show the grades of answers to visitors, day by day, and what visitors thought of them.

    The setting judge.live_answers says how many answers of a day are graded. A grade is kept as long as its
    question.
    """
    with open_services() as services:
        settings = services.settings.judge
        stored = services.feature(EvaluationServices).stored
        found = stored.since(utc_now().date() - timedelta(days=days - 1))
        quality = figures(found, Weights.of(settings), show)
        documents = stored.documents([each.answer.id for each in quality.worst])
    prices = prices_of(settings)
    document = _document(quality) | {"cost": round(prices.cost(quality.tokens), 4) if prices else None}
    if show:
        document["worst"] = [_worst(each, documents.get(each.answer.id, "{}")) for each in quality.worst]
    if as_json:
        print_json(document)
    elif quality.days:
        _print(document)
    else:
        console().print(NONE_YET if settings.live_answers else OFF)


def _document(quality: LiveQuality) -> dict[str, Any]:
    return {
        "days": [
            {
                "day": each.day.isoformat(),
                "judge": each.judge,
                "scale": each.scale,
                "graded": each.graded,
                "ungraded": each.ungraded,
                **each.scores,
                **_ratings(each.ratings),
            }
            for each in quality.days
        ],
        "by_correctness": [
            {"correctness": each.score, "answers": each.answers, **_ratings(each.ratings)}
            for each in quality.by_score
        ],
        "reasons": dict(quality.reasons),
        "tokens": quality.tokens.document(),
    }


def _ratings(ratings: Ratings) -> dict[str, float | None]:
    return {"up": ratings.up, "down": ratings.down, "share_up": ratings.share_up}


def _worst(visit: GradedVisit, document: str) -> dict[str, Any]:
    return {
        "asked_at": visit.answer.asked_at.isoformat(timespec="seconds"),
        "site": visit.answer.site,
        "question": visit.answer.question,
        "answer": json.loads(document).get("answer", ""),
        "rating": visit.answer.rating,
        "scores": dict(visit.grade.scores),
        "reasons": dict(visit.grade.reasons),
    }


def _print(document: Mapping[str, Any]) -> None:
    screen = console()
    days = Table("day (UTC)", "judge", "scale", "graded", "ungraded", *SCORES, "up", "down", box=None)
    for each in document["days"]:
        names = ("day", "judge", "scale", "graded", "ungraded", *SCORES, "up", "down")
        days.add_row(*(_shown(each[name]) for name in names))
    screen.print(days)
    if len({(each["judge"], each["scale"]) for each in document["days"]}) > 1:
        screen.print("note: grades of different judges or scales do not compare")
    for reason, number in document["reasons"].items():
        screen.print(f"{number:,} ungraded: {reason}")
    if document["by_correctness"]:
        screen.print()
        scores = Table("correctness", "answers", "thumbs up", "thumbs down", "share up", box=None)
        for each in document["by_correctness"]:
            scores.add_row(*(_shown(value) for value in each.values()))
        screen.print(scores)
    screen.print(f"\ntokens: {spent(document)}")
    for item in document.get("worst", ()):
        _print_answer(item)


def _print_answer(item: Mapping[str, Any]) -> None:
    screen = console()
    said = f", thumb {item['rating']}" if item["rating"] else ""
    screen.print(f"\n{item['asked_at'][:16].replace('T', ' ')} ({item['site']}{said}) {item['question']}")
    screen.print(f"  answer  {shortened(item['answer'], SHOWN_CHARACTERS)}")
    for name, score in item["scores"].items():
        screen.print(f"  {name}: {_shown(score)}  {item['reasons'].get(name, '')}")


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)
