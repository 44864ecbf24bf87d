"""``auskunft sheets``: has a pool's questions answered, to be graded by models or people."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from app.chat.pipelines import chat_options, make_pipeline, model_options
from app.chat.sites import DEFAULT_KEY, select_sources
from app.cli.common import (
    TEXT,
    console,
    give_way,
    json_option,
    open_services,
    preset_option,
    print_json,
    source_option,
)
from app.cli.evaluation import Configuration, Searched, searched_index
from app.cli.progress import long_work
from app.errors import InputError
from app.evaluation.pool import PoolQuestion, load_pool
from app.evaluation.sheets import (
    Respondent,
    SharedRephrasings,
    SheetModel,
    SheetRun,
    question_key,
    sheet_file,
)
from app.search.generations import live_generation
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.fingerprints import recipe_hash, text_hash

PROMPTS = ("answer", "law", "rephrase", "sources", "question", "time")


@click.command()
@click.argument("pool", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Where the answers go."
)
@click.option(
    "--model",
    "models",
    type=TEXT,
    multiple=True,
    metavar="NAME",
    help="Who answers, of the chat's endpoint; several get the same contexts (default: the chat's model).",
)
@source_option
@preset_option
@json_option
def sheets(
    *, pool: Path, out: Path, models: tuple[str, ...], source: str | None, preset: str | None, as_json: bool
) -> None:
    """Have every question of a pool answered and write the answers down: JSON Lines with question, context,
    answer, sources, configuration, tokens and seconds.

    A preset that cuts pages otherwise than the index is asked on an index of its own. What is answered is
    kept: interrupt it at any time, and run it again.
    """
    give_way()
    questions = _questions(pool)
    configuration = Configuration(preset=preset)
    with open_services(preset=preset) as services, ExitStack() as stack:
        names = model_names(services.settings, models)
        sources = select_sources(services.store, source)
        file = sheet_file(out)
        writer = stack.enter_context(file.appending())
        searched = stack.enter_context(searched_index(services, sources, services.preset, configuration))
        run = make_run(services, searched, sources, names)
        missing = run.missing(questions, file.read())
        written = 0
        with long_work("answering") as show:
            for sheet in run.answers(missing, partial(show, "answering")):
                writer.append(sheet)
                written += 1
    document = {
        "questions": len(questions),
        "models": [each.name for each in run.respondents],
        "written": written,
        "known": len(questions) * len(run.respondents) - len(missing),
        "failed": len(missing) - written,
    }
    if as_json:
        print_json(document)
    else:
        _print(document, out)
    if document["failed"]:
        raise click.exceptions.Exit(1)


def _questions(pool: Path) -> list[PoolQuestion]:
    """The pool's questions, each once."""
    return list({question_key(question): question for question in load_pool(pool)}.values())


def model_names(settings: Settings, models: Sequence[str]) -> list[str]:
    """Who answers: these models, each once, or the chat's; none for answers without one. Raises
    ``InputError`` where there is no endpoint for them."""
    if models and not settings.chat.base_url:
        raise InputError("no endpoint is set for the models: give chat.base_url and chat.model")
    return list(dict.fromkeys(models)) or ([settings.chat.model] if settings.chat.model else [])


def make_run(
    services: Services, searched: Searched, sources: frozenset[str], models: Sequence[str]
) -> SheetRun:
    """Have ``models``, or nobody, answer from what is found in ``sources``."""
    settings, rephrasings = services.settings, SharedRephrasings()
    options = chat_options(settings, services.preset, SiteSettings(key=DEFAULT_KEY))
    clients: list[SheetModel | None] = [
        SheetModel(rephrasings, **(model_options(settings.chat) | {"model": each})) for each in models
    ]
    return SheetRun(
        respondents=[
            Respondent(
                answerer=make_pipeline(searched.retriever, options, client, services.chat.prompts).answerer,
                model=client,
            )
            for client in clients or [None]
        ],
        sources=sources,
        configuration=_configuration(services, searched, sources),
        meter=services.chat.meter,
    )


def _configuration(services: Services, searched: Searched, sources: frozenset[str]) -> Mapping[str, Any]:
    """What answers depend on beside question and model. ``generation``: none where the index was made for
    these answers alone."""
    settings, prompts, preset = services.settings, services.chat.prompts, services.preset
    live = live_generation(searched.index, services.store.id)
    versions = {
        f"{purpose}.{language}": prompts.version(purpose, language)
        for purpose in PROMPTS
        for language in prompts.languages(purpose)
    }
    return {
        "preset": preset.name,
        "preset_hash": text_hash(preset.model_dump_json())[:16],
        "embedder": dict(live.recipe.embedder),
        "reranker": settings.reranker if preset.question.rerank else "",
        "generation": None if searched.is_own else live.number,
        "sources": sorted(sources),
        "prompts": recipe_hash(versions)[:16],
        "context_tokens": settings.chat.context_tokens,
        "answer_tokens": settings.chat.answer_tokens,
        "temperature": settings.chat.temperature,
    }


def _print(document: Mapping[str, Any], out: Path) -> None:
    screen = console()
    models = ", ".join(document["models"]) if any(document["models"]) else "no model: passages of the pages"
    screen.print(f"{document['questions']:,} questions, answered by {models}")
    screen.print(f"{document['written']:,} answers written to {out}, {document['known']:,} were there before")
    if document["failed"]:
        screen.print(f"{document['failed']:,} answers failed: run the command again")
