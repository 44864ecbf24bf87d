"""``auskunft doctor``: checks of what an installation uses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Table

from app.cli.common import console, json_option, open_services, print_json, table_console
from app.cli.progress import long_work
from app.errors import SettingsError
from app.monitoring.diagnosis import FindingDocument, diagnose
from app.presets.collection import Presets
from app.settings.chat import ChatSettings
from app.settings.settings import load_settings

if TYPE_CHECKING:
    from app.features.evaluation.model_check import Series

MODEL_HELP: Final = "Test the chat's language model with eight questions: is it suitable, and in which form?"


@click.command()
@click.option("--model", is_flag=True, help=MODEL_HELP)
@json_option
def doctor(*, model: bool, as_json: bool) -> None:
    """Check the whole installation, and suggest a remedy for everything that is wrong.

    Exit code 1: something is wrong; with --model, the language model does not answer or is not suitable.
    """
    if model:
        _check_model(as_json=as_json)
    else:
        _check_installation(as_json=as_json)


def _check_installation(*, as_json: bool) -> None:
    with open_services() as services:
        findings = diagnose(services)
    wrong = [finding for finding in findings if not finding.check.ok]
    if as_json:
        documents = [FindingDocument.from_objects(each.check, remedy=each.remedy) for each in findings]
        print_json({"findings": [document.to_json() for document in documents]})
    else:
        out = console()
        for check, remedy in findings:
            out.print(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.detail}")
            out.print(f"    -> {remedy}\n" if remedy else "", end="")
        out.print(f"{len(wrong)} to be mended" if wrong else "all is well")
    if wrong:
        raise click.exceptions.Exit(1)


def _check_model(*, as_json: bool) -> None:
    settings = load_settings()
    if not settings.chat.model:
        raise SettingsError("no language model is set: set chat.base_url and chat.model")
    from app.chat.model.prompt_check import load_prompts  # noqa: PLC0415 - takes half a second to import
    from app.features.evaluation.model_check import ModelCheck  # noqa: PLC0415 - as above

    budget = Presets(settings.presets).load(settings.preset).question.budget_tokens
    check = ModelCheck(settings.chat, budget, load_prompts(settings.chat.prompts))
    with long_work("asking") as show:
        tried = check.run(partial(show, "asking"))
    best = next((series for series in reversed(tried) if series.suits), None)
    advice = _advice(settings.chat, tried, best, budget)
    if as_json:
        print_json(
            {
                "model": settings.chat.model,
                "form": best.form if best else None,
                "budget_tokens": best.budget_tokens if best else None,
                "advice": advice,
                "tried": [_document(series) for series in tried],
            }
        )
    else:
        table_console().print(_table(tried))
        told = dict.fromkeys(str(failure) for series in tried for failure in series.failures)
        console().print("", *told, advice, sep="\n")
    if best is None:
        raise click.exceptions.Exit(1)


def _advice(chat: ChatSettings, tried: Sequence[Series], best: Series | None, budget: int) -> str:
    if best is None:
        is_worse = any(series.count("wrong") for series in tried)
        return (
            f"With this model answers are {'worse' if is_worse else 'no better'} than without one: leave it "
            "off, with [chat] base_url and model empty."
        )
    sources = ""
    if best.form == "full" and best.budget_tokens < budget:
        sources = f" with fewer sources: budget_tokens = {best.budget_tokens} in [question] of a preset"
    now = "" if best.form == chat.form else f' ("{chat.form}" is set)'
    return f'[chat] form = "{best.form}" suits this model{now}{sources}.'


def _document(series: Series) -> dict[str, Any]:
    return {
        "form": series.form,
        "budget_tokens": series.budget_tokens,
        "answerable": series.answerable,
        "right": series.count("right"),
        "absent": len(series.answers) - series.answerable,
        "refused": series.count("refused"),
        "wrong": series.count("wrong"),
        "failed": [str(failure) for failure in series.failures],
        "first_seconds": round(series.typical(lambda answer: answer.first_seconds), 2),
        "seconds": round(series.typical(lambda answer: answer.seconds), 2),
        "prompt_tokens": round(series.typical(lambda answer: answer.prompt_tokens)),
    }


def _table(tried: Sequence[Series]) -> Table:
    table = Table(
        "form", "sources", "right", "refused", "wrong", "failed", "first text", "end", "tokens read", box=None
    )
    for row in map(_document, tried):
        table.add_row(
            row["form"],
            f"{row['budget_tokens']:,}",
            f"{row['right']} of {row['answerable']}",
            f"{row['refused']} of {row['absent']}",
            str(row["wrong"]),
            str(len(row["failed"])),
            f"{row['first_seconds']:.1f} s",
            f"{row['seconds']:.1f} s",
            f"{row['prompt_tokens']:,}",
        )
    return table
