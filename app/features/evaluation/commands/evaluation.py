"""Shared by commands that measure: configurations, each with its index, and runs that are kept."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from app.chat.answer import Answerer
from app.chat.energy import Meter
from app.chat.pipelines import chat_options
from app.chat.site_search import PagesSearch
from app.chat.sites import DEFAULT_KEY, select_sources
from app.cli.common import console, open_services, warn_of_other_settings
from app.cli.progress import long_work
from app.errors import UnwritableError
from app.features.evaluation.answers import JudgedAnswer, conversation, judge_answers
from app.features.evaluation.evaluation_runs import EvaluationRuns
from app.features.evaluation.measuring import known_gold, missing_note, not_reranked, notes, run_configuration
from app.features.evaluation.metrics import JudgedQuestion
from app.features.evaluation.pool import MissingGold, PoolQuestion, gold_sources, with_texts
from app.features.evaluation.results import EvaluationRun, figures, pool_hash, question_result, run_of
from app.features.evaluation.run import judge, served_pages, span_texts
from app.features.evaluation.scratch import scratch_index
from app.indexing.chunkers import make_index_chunker
from app.pages.database import utc_now
from app.presets import IndexPreset, Preset, RerankPreset
from app.search.index import SearchIndex
from app.search.site_retriever import SiteRetriever
from app.search.types import GenerationRecipe
from app.services import Services
from app.services.retrieval import make_retriever
from app.settings.sites import SiteSettings

NO_RERANKER = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The installation with the changes to be measured. ``settings``: another settings file."""

    preset: str | None = None
    reranker: str | None = None
    settings: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A retriever and the index it searches. ``where``: a description of that index."""

    retriever: SiteRetriever
    index: SearchIndex
    where: str


def check(configuration: Configuration) -> None:
    """Raise ``UnknownPresetError`` or ``SettingsError`` if the configuration cannot be measured."""
    with open_services(configuration.settings, preset=configuration.preset) as services:
        services.preset  # noqa: B018 - read from its file, and checked


def measure(
    configuration: Configuration, pool: Path, questions: Sequence[PoolQuestion], source: str | None
) -> EvaluationRun:
    """Ask every question, without a model. Raises ``PoolError`` if no gold page is indexed."""
    named = None if configuration.reranker == NO_RERANKER else configuration.reranker
    with open_services(configuration.settings, preset=configuration.preset, reranker=named) as services:
        sources = select_sources(services.store, source)
        preset = _with_reranker(services.preset, configuration.reranker)
        started_at = utc_now()
        with searched_index(services, sources, preset, configuration) as searched:
            options = chat_options(services.settings, preset, SiteSettings(key=DEFAULT_KEY))
            answerer = Answerer(PagesSearch(searched.retriever), options=options)
            served = served_pages(searched.index, sources)
            missing = known_gold(str(pool), questions, served)
            known, missing_spans = with_texts(questions, span_texts(searched.index, served, questions))
            known = [conversation(answerer, question, sources) for question in known]
            started = time.monotonic()
            judged, answers = _asked(searched.retriever, answerer, sources, known, services.chat.energy.meter)
            seconds = round(time.monotonic() - started, 1)
            embedder = live.recipe.embedder if (live := searched.index.live()) else {}
        indexed = gold_sources(served)
        triples = zip(questions, judged, answers, strict=True)
        results = [question_result(asked, found, answer, indexed) for asked, found, answer in triples]
        return EvaluationRun(
            started_at=started_at,
            seconds=seconds,
            label=str(configuration.settings or preset.name),
            index=searched.where,
            pool=pool.name,
            pool_hash=pool_hash(questions),
            configuration=run_configuration(services, preset, sources, embedder),
            notes=notes(missing, missing_spans, not_reranked=not_reranked(judged)),
            figures=figures(results),
            results=tuple(results),
        )


def keep(run: EvaluationRun) -> EvaluationRun:
    """Store a run and return it with its number, or print a note if the page store cannot be written."""
    try:
        with open_services() as services:
            runs = EvaluationRuns(services.engine)
            number = runs.add(run.started_at, run.document(), run.result_documents())
    except UnwritableError as error:
        console(stderr=True).print(f"note: the run is not kept: {error}")
        return run
    return run.model_copy(update={"number": number})


def kept_run(number: int) -> EvaluationRun:
    """Load the run with this number. Raises ``NotFoundError``."""
    with open_services() as services:
        return run_of(EvaluationRuns(services.engine).get(number))


def _asked(
    retriever: SiteRetriever,
    answerer: Answerer,
    sources: frozenset[str],
    questions: Sequence[PoolQuestion],
    meter: Meter | None,
) -> tuple[list[JudgedQuestion], list[JudgedAnswer]]:
    with long_work("asking") as show:
        judged = list(judge(retriever, questions, sources, partial(show, "asking")))
    with long_work("answering") as show:
        answers = judge_answers(answerer, questions, sources, partial(show, "answering"), meter)
        return judged, list(answers)


def own_recipe(services: Services, configuration: Configuration) -> GenerationRecipe | None:
    """Return the recipe of the index that a configuration needs, or ``None`` if the live one will do.

    It will if it was cut and embedded in the same way, or if neither preset nor settings differ."""
    live, indexing = services.indexing.index.live(), services.indexing
    is_plain = configuration.preset is None and configuration.settings is None
    if is_plain or live is None or live.recipe.build == indexing.build_recipe:
        return None
    return indexing.recipe if configuration.settings else live.recipe


@contextmanager
def searched_index(
    services: Services, sources: frozenset[str], preset: Preset, configuration: Configuration
) -> Iterator[Searched]:
    """Yield the live index and its retriever; or a scratch index, if another preset or settings file cuts or
    embeds pages differently."""
    recipe = own_recipe(services, configuration)
    if recipe is None:
        warn_of_other_settings(services)
        live = services.indexing.index.live()
        where = f"the live index (generation {live.number})" if live else "the live index"
        retriever = services.retriever_of(preset)
        yield Searched(retriever=retriever, index=services.indexing.index, where=where)
        return
    named = f"settings {configuration.settings}" if configuration.settings else f"preset {preset.name!r}"
    console(stderr=True).print(
        f"note: {named} cuts pages otherwise than the index: they are cut and embedded for this"
    )
    with scratch(services, sources, recipe, "cutting and embedding") as index:
        retriever = make_retriever(services, index, preset, services.indexing.embedders.of)
        where = "an index of its own, made for this evaluation"
        yield Searched(retriever=retriever, index=index, where=where)


@contextmanager
def scratch(
    services: Services,
    sources: frozenset[str],
    recipe: GenerationRecipe,
    stage: str,
    chunks: IndexPreset | None = None,
) -> Iterator[SearchIndex]:
    """Yield a temporary index of the pages of ``sources``, cut as the settings or ``chunks`` say."""
    indexing = services.indexing
    pipeline_of = indexing.pipeline_of
    if chunks:
        pipeline_of = partial(pipeline_of, chunker=make_index_chunker(chunks))
    with ExitStack() as made:
        with long_work(stage) as show:
            index = made.enter_context(
                scratch_index(
                    services.data,
                    store=services.store,
                    sources=sources,
                    pipeline_of=pipeline_of,
                    recipe=recipe,
                    show=partial(show, stage),
                    enrichers=indexing.enrichers if chunks is None or chunks.contexts else (),
                )
            )
        yield index


def _with_reranker(preset: Preset, reranker: str | None) -> Preset:
    """Return the preset with reranking if ``reranker`` is given, or without if it is ``NO_RERANKER``."""
    if reranker is None:
        return preset
    rerank = None if reranker == NO_RERANKER else preset.question.rerank or RerankPreset()
    return preset.model_copy(update={"question": preset.question.model_copy(update={"rerank": rerank})})


def figures_table(head: str, groups: Mapping[str, Mapping[str, Any]]) -> Table:
    """Make a table with a row for each figure and a column for each group."""
    table = Table(head, *groups, box=None)
    for figure in dict.fromkeys(name for own in groups.values() for name in own):
        values = (own.get(figure) for own in groups.values())
        table.add_row(figure, *("-" if value is None else str(value) for value in values))
    return table


def warn_of_missing_gold(missing: MissingGold) -> None:
    """Print a note on standard error if some of a pool's gold is not indexed."""
    if missing.gold:
        console(stderr=True).print(f"note: {missing_note(missing)['warning']}")
