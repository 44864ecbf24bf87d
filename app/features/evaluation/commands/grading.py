"""Shared by commands that have answers graded: the grader, consent to the cost, the grading."""

import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import click

from app.chat.model.tokens import Prices, Tokens
from app.cli.common import console
from app.cli.progress import long_work
from app.errors import InputError
from app.features.evaluation.grades import Grade, Style
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge import ComparisonGrader, Grader, make_criteria_grader
from app.features.evaluation.judge_model import JudgeModel, make_judge
from app.features.evaluation.metric_grader import MetricGrader
from app.features.evaluation.record_file import RecordWriter
from app.features.evaluation.sheets import AnswerSheet
from app.search.index import live_generation
from app.services import Services
from app.settings.settings import Settings


def make_grader(services: Services, style: Style) -> Grader:
    """Make the grader of a style. Raises ``InputError`` if its rubric or index cannot be used."""
    prompts, settings = services.chat.prompts, services.settings
    if style == "rtr":
        return ComparisonGrader(prompts_of=prompts, sites=services.chat.sites.all())
    if style == "metrics":
        index = services.indexing.index
        embedder = services.indexing.embedders.of(live_generation(index, services.store.id))
        return MetricGrader(prompts_of=prompts, embedder=embedder, answer_tokens=settings.judge.answer_tokens)
    return make_criteria_grader(prompts, settings.judge)


def required_judge(settings: Settings) -> JudgeModel:
    """Return the model that grades. Raises ``InputError`` if the settings name none."""
    if judge := make_judge(settings):
        return judge
    raise InputError("no language model is set for grading: set judge.model or chat.model")


def confirm(what: str, tokens: Tokens, prices: Prices | None, limit: float, more: str = "") -> None:
    """State the tokens and cost of grading, and ask before more than ``limit`` is spent.

    ``more``: a sentence about other costs. Raises ``InputError`` if it is not run in a terminal.
    """
    cost = prices.cost(tokens) if prices else 0.0
    said = f"{what} takes about {tokens.prompt:,.0f} tokens read, {tokens.output:,.0f} written"
    said += (f", and costs about {cost:,.2f}" if prices else "") + more
    if cost <= limit:
        console(stderr=True).print(f"note: {said}")
        return
    if not sys.stdin.isatty():
        raise InputError(f"{said}, more than {limit:,.2f}: run it with --max-cost {cost + 0.005:.2f}")
    click.confirm(f"{said}. Go on?", abort=True, err=True)


def grade_sheets(sheets: Sequence[AnswerSheet], writer: RecordWriter[Grade], run: GradingRun) -> None:
    """Have sheets graded and write each grade as it comes. Raises ``ModelError``."""
    with (
        long_work("grading") as progress,
        closing(run.grades(sheets, partial(progress, "grading"))) as grades,
    ):
        for each in grades:
            writer.append(each)
