"""``auskunft sheets``: has a pool's questions answered, to be graded by models or people."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from app.chat.answer import Answerer
from app.chat.pipelines import chat_options, model_options
from app.chat.site_search import PagesSearch
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
from app.cli.progress import long_work
from app.cli.values import FILE
from app.errors import InputError
from app.features.evaluation.commands.evaluation import Configuration, Searched, own_recipe, searched_index
from app.features.evaluation.commands.options import pool_argument
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.sheets import (
    Respondent,
    SharedRephrasings,
    SheetModel,
    SheetRun,
    question_key,
    sheet_file,
)
from app.search.index import live_generation
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.fingerprints import recipe_hash, text_hash

PROMPTS = ("answer", "law", "rephrase", "sources", "question", "time")


@click.command()
@pool_argument
@click.option("--out", type=FILE, required=True, metavar="FILE", help="File for the answers.")
@click.option(
    "--model",
    "models",
    type=TEXT,
    multiple=True,
    metavar="NAME",
    help="The chat endpoint's model that answers; several get the same contexts (default: chat.model).",
)
@source_option
@preset_option
@json_option
def sheets(
    *, pool: Path, out: Path, models: tuple[str, ...], source: str | None, preset: str | None, as_json: bool
) -> None:
    """Answer every question of a pool and write the answers to a file: JSON Lines with question, context,
    answer, sources, configuration, tokens and seconds.

    A preset that cuts pages differently from the index gets an index of its own. You can interrupt it at any
    time and run it again: answers are kept.
    """
    give_way()
    questions = pool_questions(pool)
    configuration = Configuration(preset=preset)
    with open_services(preset=preset) as services, ExitStack() as stack:
        names = model_names(services.settings, models)
        sources = select_sources(services.store, source)
        file = sheet_file(out)
        writer = stack.enter_context(file.appending())
        run = stack.enter_context(answering(services, configuration, sources, names))
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


def pool_questions(pool: Path) -> list[PoolQuestion]:
    """The pool's questions, each once."""
    return list({question_key(question): question for question in load_pool(pool)}.values())


def model_names(settings: Settings, models: Sequence[str]) -> list[str]:
    """Return the models that answer: ``models``, each once, or the chat's; empty for answers without one.

    Raises ``InputError`` if there is no endpoint for ``models``."""
    if models and not settings.chat.base_url:
        raise InputError("no endpoint is set for the models: set chat.base_url and chat.model")
    return list(dict.fromkeys(models)) or ([settings.chat.model] if settings.chat.model else [])


@contextmanager
def answering(
    services: Services,
    configuration: Configuration,
    sources: frozenset[str],
    models: Sequence[str],
    client_of: type[SheetModel] = SheetModel,
) -> Iterator[SheetRun]:
    """Yield a run in which ``models`` answer from ``sources``; if empty, passages alone are the answers."""
    with searched_index(services, sources, services.preset, configuration) as searched:
        yield SheetRun(
            respondents=_respondents(services, searched, models, client_of),
            sources=sources,
            configuration=sheet_configuration(services, configuration, sources),
            meter=services.chat.energy.meter,
        )


def _respondents(
    services: Services, searched: Searched, models: Sequence[str], client_of: type[SheetModel]
) -> list[Respondent]:
    settings, rephrasings = services.settings, SharedRephrasings()
    options = chat_options(settings, services.preset, SiteSettings(key=DEFAULT_KEY))
    pages, added = PagesSearch(searched.retriever), services.chat.added_steps(options)
    clients: list[SheetModel | None] = [
        client_of(rephrasings, **(model_options(settings.chat) | {"model": each})) for each in models
    ]
    return [
        Respondent(
            answerer=Answerer(
                pages, model=client, options=options, prompts=services.chat.prompts, added=added
            ),
            model=client,
        )
        for client in clients or [None]
    ]


def sheet_configuration(
    services: Services, configuration: Configuration, sources: frozenset[str]
) -> Mapping[str, Any]:
    """Describe what answers depend on besides question and model.

    ``generation``: ``None`` if an index is made for these answers alone."""
    settings, prompts, preset = services.settings, services.chat.prompts, services.preset
    live, own = (
        live_generation(services.indexing.index, services.store.id),
        own_recipe(services, configuration),
    )
    versions = {
        f"{purpose}.{language}": prompts.version(purpose, language)
        for purpose in PROMPTS
        for language in prompts.languages(purpose)
    }
    return {
        "preset": preset.name,
        "preset_hash": text_hash(preset.model_dump_json())[:16],
        "embedder": dict((own or live.recipe).embedder),
        "reranker": settings.reranker if preset.question.rerank else "",
        "generation": None if own else live.number,
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
