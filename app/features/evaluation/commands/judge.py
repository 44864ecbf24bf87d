"""``auskunft judge``: has a language model grade answers."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from app.chat.model.tokens import Prices
from app.cli.common import TEXT, console, json_option, new_file, open_services, print_json
from app.cli.values import FILE, WholeNumber
from app.features.evaluation.commands.evaluation import figures_table
from app.features.evaluation.commands.grading import confirm, grade_sheets, make_grader, required_judge
from app.features.evaluation.commands.options import (
    judge_option,
    max_cost_option,
    report_language_option,
    report_option,
)
from app.features.evaluation.grades import (
    STYLES,
    GradedSheet,
    Style,
    by,
    grade_file,
    joined,
    ranking,
    served_names,
    worst,
)
from app.features.evaluation.grading import GradingRun, expected_tokens, left, prices_of, spent, used_tokens
from app.features.evaluation.judge_model import JudgeModel
from app.features.evaluation.rubric import Weights
from app.features.evaluation.sheets import load_sheets
from ingest.text import shortened

SHOWN_CHARACTERS = 500


@click.command()
@click.argument("sheets", type=FILE)
@click.option(
    "--out",
    type=FILE,
    metavar="FILE",
    help="File for the grades (default: next to the sheets, named after them and the style).",
)
@judge_option
@click.option(
    "--style",
    type=click.Choice(STYLES),
    default="criteria",
    show_default=True,
    help="Three criteria; rtr: four grades beside the reference answer; metrics: the six of RAGAS.",
)
@max_cost_option
@click.option("--retry", is_flag=True, help="Grade answers again that ended ungraded.")
@click.option("--show", type=WholeNumber(), default=0, metavar="N", help="Print the N worst answers.")
@report_option
@report_language_option
@click.option(
    "--mlflow", type=TEXT, metavar="URI", help="Copy answers and grades to MLflow: a server or a folder."
)
@json_option
def judge(
    *,
    sheets: Path,
    out: Path | None,
    judge: str | None,
    style: Style,
    max_cost: float | None,
    retry: bool,
    show: int,
    report: Path | None,
    language: str,
    mlflow: str | None,
    as_json: bool,
) -> None:
    """Let a language model grade the answers that `auskunft sheets` wrote.

    You can interrupt it at any time and run it again: grades are kept. An answer without a usable grade from
    the model stays ungraded, with the reason.
    """
    export = _exporter(mlflow) if mlflow else None
    answers = load_sheets(sheets)
    out = out or sheets.with_suffix(f".{style}.jsonl")
    with (
        open_services(judge={"model": judge} if judge else None) as services,
        new_file(report) if report else nullcontext() as page,
    ):
        settings = services.settings.judge
        grader, weights, prices = make_grader(services, style), Weights.of(settings), prices_of(settings)
        grading = required_judge(services.settings)
        file = grade_file(out)
        started = time.monotonic()
        with file.appending() as writer:
            waiting = left(answers, file.read(), grader, grading.name, retry=retry)
            if waiting:
                what = f"grading {len(waiting):,} answers"
                confirm(what, expected_tokens(waiting, grader), prices, settings.limit(max_cost))
            grade_sheets(
                waiting, writer, GradingRun(judge=grading, grader=grader, parallel=settings.parallel)
            )
        seconds = time.monotonic() - started
        graded = joined(answers, file.read())
        if page:
            page.write(_report(graded, grading.name, sheets, weights, language=language, show=show))
    if export:
        console(stderr=True).print(f"note: {export(graded, sheets.name, weights)}")
    document = _document(graded, grading, weights, prices)
    document |= {"graded_now": len(waiting), "seconds": round(seconds, 1)}
    if show:
        document["worst"] = [_shown(each) for each in worst(graded, weights, show)]
    if as_json:
        print_json(document)
    else:
        _print(document, out)
    if document["ungraded"]:
        raise click.exceptions.Exit(1)


def _report(
    graded: Sequence[GradedSheet], judge: str, sheets: Path, weights: Weights, *, language: str, show: int
) -> str:
    """Render the report with the ``show`` worst answers; 0 stands for the report's own default."""
    from app.features.evaluation.report.grades import render  # noqa: PLC0415 - few runs want one
    from app.features.evaluation.report.page import WORST  # noqa: PLC0415

    return render(
        graded, judge=judge, sheets=sheets.name, weights=weights, language=language, count=show or WORST
    )


def _exporter(uri: str) -> Callable[[Sequence[GradedSheet], str, Weights], str]:
    """Return a function that copies answers to MLflow and says how many.

    Raises ``InputError`` if MLflow is not installed, so that nothing is graded in vain."""
    from app.features.evaluation.mlflow_export import export_answers, require_mlflow  # noqa: PLC0415 - it is an extra

    require_mlflow()

    def export(graded: Sequence[GradedSheet], name: str, weights: Weights) -> str:
        models = len({each.sheet.model for each in graded})
        made = export_answers(graded, name, weights, uri)
        return f"the answers of {made:,} of {models:,} models are exported to MLflow, the others were there"

    return export


def _document(
    graded: Sequence[GradedSheet], judge: JudgeModel, weights: Weights, prices: Prices | None
) -> dict[str, Any]:
    grades = [each.grade for each in graded]
    tokens = used_tokens(grades)
    names = served_names(grades)
    ungraded = [grade.ungraded for grade in grades if grade.ungraded]
    document: dict[str, Any] = {
        "judge": judge.name,
        "served": names,
        "sheets": len(grades),
        "graded": len(grades) - len(ungraded),
        "ungraded": len(ungraded),
        "reasons": dict(Counter(ungraded).most_common()),
        "ranking": ranking(graded, weights),
        "by_model": by(graded, lambda sheet: sheet.model or "no model", weights),
        "by_kind": by(graded, lambda sheet: sheet.kind or "-", weights),
        "tokens": tokens.document(),
        "cost": round(prices.cost(tokens), 4) if prices else None,
        "judge_seconds": round(sum(grade.seconds for grade in grades), 1),
    }
    if len(names) > 1:
        document["warning"] = _changed(names)
    return document


def _changed(names: Mapping[str, int]) -> str:
    told = ", ".join(f"{name!r} for {count:,} answers" for name, count in names.items())
    return f"the judge called itself {told}: grades of different models do not compare"


def _shown(each: GradedSheet) -> dict[str, Any]:
    sheet, grade = each.sheet, each.grade
    return {
        "id": sheet.id,
        "model": sheet.model,
        "question": sheet.question,
        "reference": sheet.reference,
        "answer": sheet.answer,
        "context": list(sheet.context),
        "sources": [source.url for source in sheet.sources],
        "scores": dict(grade.scores),
        "reasons": dict(grade.reasons),
        **(
            {"style": grade.comparison.style, "summary": grade.comparison.summary} if grade.comparison else {}
        ),
    }


def _print(document: Mapping[str, Any], out: Path) -> None:
    screen = console()
    counted = f"{document['graded']:,} of {document['sheets']:,} answers graded by {document['judge']}"
    screen.print(f"{counted} ({out})")
    for reason, number in document["reasons"].items():
        screen.print(f"{number:,} ungraded: {reason}")
    for head in ("by_model", "by_kind"):
        if groups := document[head]:
            screen.print(figures_table(head.replace("_", " "), groups))
    ranks = Counter(place["rank"] for place in document["ranking"])
    for place in document["ranking"]:
        mean = "-" if place["mean"] is None else place["mean"]
        name = f"{place['model'] or 'no model'}{' (tie)' if ranks[place['rank']] > 1 else ''}"
        screen.print(f"{place['rank']}. {name}: {mean} over {place['questions']:,} questions")
    screen.print(f"tokens: {spent(document)}")
    if warning := document.get("warning"):
        screen.print(f"warning: {warning}")
    for item in document.get("worst", ()):
        _print_answer(item)


def _print_answer(item: Mapping[str, Any]) -> None:
    screen = console()
    screen.print(f"\n{item['id']} ({item['model'] or 'no model'}) {item['question']}")
    screen.print(f"  answer     {shortened(item['answer'], SHOWN_CHARACTERS)}")
    if item["reference"]:
        screen.print(f"  reference  {shortened(item['reference'], SHOWN_CHARACTERS)}")
    for name, score in item["scores"].items():
        screen.print(f"  {name}: {'-' if score is None else f'{score:g}'}  {item['reasons'].get(name, '')}")
    if "style" in item:
        screen.print(f"  style: {item['style']}  {item['reasons']['style']}")
        screen.print(f"  {shortened(item['summary'], SHOWN_CHARACTERS)}")
