"""``auskunft compare``: a pool answered by several configurations, graded, in one table and one page."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from app.chat.sites import select_sources
from app.cli.common import (
    TEXT,
    console,
    give_way,
    json_option,
    new_file,
    open_services,
    print_json,
    source_option,
)
from app.cli.progress import long_work
from app.errors import InputError
from app.features.evaluation.commands.comparison import configuration_of
from app.features.evaluation.commands.evaluation import Configuration, check
from app.features.evaluation.commands.grading import confirm, grade_sheets, make_grader, required_judge
from app.features.evaluation.commands.options import (
    judge_option,
    max_cost_option,
    pool_argument,
    report_language_option,
    report_option,
)
from app.features.evaluation.commands.sheets import (
    answering,
    model_names,
    pool_questions,
    sheet_configuration,
)
from app.features.evaluation.comparison import SIGNIFICANT
from app.features.evaluation.configurations import GradedComparison, compare_grades
from app.features.evaluation.forecast import Forecast, UnaskedModel, forecast
from app.features.evaluation.grades import STYLES, Grade, GradedSheet, Style, grade_file, joined
from app.features.evaluation.grading import GradingRun, expected_tokens, left, prices_of, spent, used_tokens
from app.features.evaluation.judge import Grader
from app.features.evaluation.judge_model import JudgeModel
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.record_file import RecordFile
from app.features.evaluation.rubric import Weights
from app.features.evaluation.sheets import AnswerSheet, question_key, sheet_file
from app.features.evaluation.statistics import Estimate
from app.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A configuration to compare, with the files of its answers and their grades."""

    label: str
    configuration: Configuration
    sheets: RecordFile[AnswerSheet]
    grades: RecordFile[Grade]


@click.command()
@pool_argument
@click.argument("configurations", nargs=-1, required=True, metavar="A B ...", type=TEXT)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Folder for answers and grades, two files for each configuration.",
)
@click.option(
    "--style",
    type=click.Choice(STYLES),
    default="metrics",
    show_default=True,
    help="The six metrics of RAGAS; criteria: three criteria; rtr: four grades beside the reference answer.",
)
@click.option(
    "--model",
    type=TEXT,
    metavar="NAME",
    help="The model that answers, for all configurations (default: each one's chat.model).",
)
@judge_option
@max_cost_option
@source_option
@report_option
@report_language_option
@json_option
def compare(
    *,
    pool: Path,
    configurations: tuple[str, ...],
    out: Path,
    style: Style,
    model: str | None,
    judge: str | None,
    max_cost: float | None,
    source: str | None,
    report: Path | None,
    language: str,
    as_json: bool,
) -> None:
    """Answer a pool with several configurations, presets or settings files (.toml), grade the answers, and
    compare them in one table, or on one page with --report.

    The cost is estimated first. You can interrupt it at any time and run it again: answers and grades are
    kept.
    """
    give_way()
    questions, sides = pool_questions(pool), _sides(configurations, out, style)
    for side in sides:
        check(side.configuration)
    with (
        open_services(judge={"model": judge} if judge else None) as services,
        new_file(report) if report else nullcontext() as page,
    ):
        grading = GradingRun(
            judge=required_judge(services.settings),
            grader=make_grader(services, style),
            parallel=services.settings.judge.parallel,
        )
        _agree(services, sides, questions, grading, source=source, model=model, max_cost=max_cost)
        graded, unanswered = dict[str, list[GradedSheet]](), dict[str, int]()
        for side in sides:
            answers = _answered(side, questions, source, model)
            unanswered[side.label] = len(_missing(questions, answers))
            graded[side.label] = _graded(side, answers, grading)
        weights = Weights.of(services.settings.judge)
        comparison = compare_grades(graded, weights)
        document = _document(comparison, graded, grading.judge, services) | {"unanswered": unanswered}
        if page:
            page.write(_page(comparison, grading.judge, pool, language))
    if as_json:
        print_json(document)
    else:
        _print(document, out)
    if document["ungraded"] or any(unanswered.values()):
        raise click.exceptions.Exit(1)


def _sides(names: Sequence[str], out: Path, style: Style) -> list[Side]:
    """Return the configurations with their files.

    Raises ``InputError`` for fewer than two, for two of the same name, or if the folder cannot be made."""
    labels = [Path(name).stem if name.endswith(".toml") else name for name in names]
    if len(labels) < 2 or len({*labels}) < len(labels):
        raise InputError("use two or more configurations, each with a different name")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be created: {error.strerror}: choose another --out") from error
    return [
        Side(
            label=label,
            configuration=configuration_of(name),
            sheets=sheet_file(out / f"{label}.sheets.jsonl"),
            grades=grade_file(out / f"{label}.{style}.jsonl"),
        )
        for name, label in zip(names, labels, strict=True)
    ]


def _agree(
    services: Services,
    sides: Sequence[Side],
    questions: Sequence[PoolQuestion],
    grading: GradingRun,
    *,
    source: str | None,
    model: str | None,
    max_cost: float | None,
) -> None:
    """State the expected tokens and costs of the whole comparison, and ask before much is spent."""
    total = Forecast()
    for side in sides:
        there = side.sheets.read_if_there()
        ungraded = left(there, side.grades.read_if_there(), grading.grader, grading.judge.name)
        total += Forecast(grading=expected_tokens(ungraded, grading.grader))
        total += _forecast(side, questions, grading.grader, source=source, model=model)
    if not total.grading.prompt:
        return
    settings, answering = services.settings.judge, total.answering
    more = f"; answering takes about {answering.prompt:,.0f} tokens read, {answering.output:,.0f} written"
    what = f"grading the answers of {len(sides)} configurations"
    confirm(
        what,
        total.grading,
        prices_of(settings),
        settings.limit(max_cost),
        more if answering.prompt else "",
    )


def _forecast(
    side: Side, questions: Sequence[PoolQuestion], grader: Grader, *, source: str | None, model: str | None
) -> Forecast:
    """Estimate the tokens for the missing answers and their grades.

    Raises ``InputError`` if existing answers are of another model, configuration or index."""
    configuration = side.configuration
    with open_services(configuration.settings, preset=configuration.preset) as services:
        names = model_names(services.settings, [model] if model else [])
        sources = select_sources(services.store, source)
        there, wanted = side.sheets.read_if_there(), sheet_configuration(services, configuration, sources)
        if any((sheet.configuration, sheet.model) != (wanted, "".join(names)) for sheet in there):
            raise InputError(
                f"{side.sheets.path}: its answers come from another model, configuration or index: choose "
                "another --out"
            )
        missing = _missing(questions, there)
        if not missing:
            return Forecast()
        with answering(services, configuration, sources, names, UnaskedModel) as run:
            return forecast(run, run.missing(missing, there), grader)


def _answered(
    side: Side, questions: Sequence[PoolQuestion], source: str | None, model: str | None
) -> list[AnswerSheet]:
    """Have the missing answers written, and return all answers to the pool's questions."""
    configuration, stage = side.configuration, f"answering with {side.label}"
    with side.sheets.appending() as writer:
        there = side.sheets.read()
        if missing := _missing(questions, there):
            with ExitStack() as stack:
                services = stack.enter_context(
                    open_services(configuration.settings, preset=configuration.preset)
                )
                names = model_names(services.settings, [model] if model else [])
                sources = select_sources(services.store, source)
                run = stack.enter_context(answering(services, configuration, sources, names))
                show = stack.enter_context(long_work(stage))
                for sheet in run.answers(run.missing(missing, there), partial(show, stage)):
                    writer.append(sheet)
    asked = {question_key(question) for question in questions}
    return [sheet for sheet in side.sheets.read() if question_key(sheet) in asked]


def _missing(questions: Sequence[PoolQuestion], there: Sequence[AnswerSheet]) -> list[PoolQuestion]:
    known = {question_key(sheet) for sheet in there}
    return [question for question in questions if question_key(question) not in known]


def _graded(side: Side, answers: Sequence[AnswerSheet], grading: GradingRun) -> list[GradedSheet]:
    """Have the ungraded answers graded, and return all answers with their grades."""
    with side.grades.appending() as writer:
        waiting = left(answers, side.grades.read(), grading.grader, grading.judge.name)
        grade_sheets(waiting, writer, grading)
    return joined(answers, side.grades.read())


def _page(comparison: GradedComparison, judge: JudgeModel, pool: Path, language: str) -> str:
    from app.features.evaluation.report.configurations import render  # noqa: PLC0415 - few runs want one

    return render(comparison, judge=judge.name, pool=pool.name, language=language)


def _document(
    comparison: GradedComparison,
    graded: Mapping[str, Sequence[GradedSheet]],
    judge: JudgeModel,
    services: Services,
) -> dict[str, Any]:
    grades = [each.grade for own in graded.values() for each in own]
    tokens, prices = used_tokens(grades), prices_of(services.settings.judge)
    return {
        "judge": judge.name,
        "questions": len(comparison.configurations[0].graded),
        "ungraded": sum(bool(grade.ungraded) for grade in grades),
        "configurations": [
            {
                "label": each.label,
                "left_out": each.left_out,
                "figures": _figures(each.figures),
                "by_kind": {kind: _figures(found) for kind, found in each.by_kind.items()},
            }
            for each in comparison.configurations
        ],
        "differences": {
            label: {name: each.document() for name, each in found.items()}
            for label, found in comparison.differences.items()
        },
        "tokens": tokens.document(),
        "cost": round(prices.cost(tokens), 4) if prices else None,
    }


def _figures(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {
        name: {"value": round(each.value, 3), "interval": each.interval, "questions": each.count}
        for name, each in found.items()
    }


def _print(document: Mapping[str, Any], out: Path) -> None:
    screen, sides = console(), document["configurations"]
    screen.print(f"{document['questions']:,} questions, graded by {document['judge']} ({out})")
    if document["ungraded"]:
        screen.print(f"{document['ungraded']:,} answers are ungraded: their questions are left out")
    for label, count in document["unanswered"].items():
        if count:
            screen.print(f"{label}: {count:,} questions have no answer: run the command again")
    screen.print(_table("", sides, lambda side: side["figures"], document["differences"]))
    kinds = sides[0]["by_kind"]
    for kind in kinds if len(kinds) > 1 else ():
        screen.print()
        screen.print(_table(kind or "-", sides, lambda side, kind=kind: side["by_kind"][kind], {}))
    screen.print(f"tokens of the judge: {spent(document)}")


def _table(
    head: str, sides: Sequence[Mapping[str, Any]], figures: Any, differences: Mapping[str, Any]
) -> Table:
    """Make a row for each figure and a column for each configuration.

    ``*``: it differs from the first configuration with p up to .05."""
    table = Table(head, *(side["label"] for side in sides), box=None)
    for name in figures(sides[0]):
        cells = []
        for side in sides:
            found = figures(side).get(name)
            sure = differences.get(side["label"], {}).get(name, {}).get("p", 1.0) <= SIGNIFICANT
            cells.append("-" if found is None else f"{found['value']:.3f}{'*' if sure else ''}")
        table.add_row(name, *cells)
    return table
