"""``auskunft evaluate``: the quality of retrieval and answers on a question pool."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from app.chat.pipelines import RagPipeline, chat_options, make_pipeline
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
    warn_of_other_settings,
)
from app.cli.progress import long_work
from app.errors import PoolError
from app.evaluation.answers import JudgedAnswer, judge_answers
from app.evaluation.metrics import (
    Figures,
    JudgedQuestion,
    answer_summary,
    by_group,
    of_kind,
    of_language,
    summary,
    worst,
)
from app.evaluation.pool import (
    MissingGold,
    MissingSpans,
    load_pool,
    load_spans,
    missing_gold,
    with_texts,
)
from app.evaluation.run import judge, served_pages, span_texts
from app.evaluation.scratch import scratch_index
from app.law.retriever import make_retriever
from app.pages.acts import ActPages
from app.presets import Preset, RerankPreset
from app.search.index import SearchIndex
from app.services import Services
from app.settings.sites import SiteSettings
from ingest.text import shortened

SHOWN_PAGES = 5
SHOWN_GOLD = 3
GROUPS = {"by_language": of_language, "by_kind": of_kind}
SHOWN_CHARACTERS = 500
NO_RERANKER = "none"
REMEDY = "index them, or correct their ids (auskunft pages lists all)"


@click.command()
@click.argument("pool", type=click.Path(path_type=Path))
@click.option(
    "--spans",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the answers stand: JSON Lines with id, spans, must.",
)
@source_option
@preset_option
@click.option(
    "--reranker",
    type=TEXT,
    metavar="NAME",
    help="Have the pages found scored by this one; none: by none (default: as preset and setting say).",
)
@click.option(
    "--show", type=click.IntRange(min=0), default=0, metavar="N", help="Print the N worst questions."
)
@json_option
def evaluate(
    *,
    pool: Path,
    spans: Path | None,
    source: str | None,
    preset: str | None,
    reranker: str | None,
    show: int,
    as_json: bool,
) -> None:
    """Measure retrieval, and answers without a model, on a question pool (JSON Lines with question, gold,
    spans, history)."""
    give_way()
    questions = load_pool(pool)
    if spans:
        questions = load_spans(spans, questions)
    named = None if reranker == NO_RERANKER else reranker
    with open_services(preset=preset, reranker=named) as services:
        sources = select_sources(services.store, source)
        with _pipeline(services, sources, preset, reranker) as (pipeline, index):
            served = served_pages(index, sources)
            missing = missing_gold(questions, {ref.id for ref in served})
            if missing.gold and len(missing.gold) == missing.total:
                raise PoolError(f"{pool}: none of its gold pages is indexed ({_named(missing)}): {REMEDY}")
            questions, missing_spans = with_texts(questions, span_texts(index, served, questions))
            started = time.monotonic()
            with long_work("asking") as show_asking:
                judged = list(judge(pipeline.retriever, questions, sources, partial(show_asking, "asking")))
            with long_work("answering") as show_answering:
                answers = list(
                    judge_answers(pipeline.answerer, questions, sources, partial(show_answering, "answering"))
                )
            seconds = round(time.monotonic() - started, 1)
    document: dict[str, Any] = {**summary(judged), **answer_summary(answers), "seconds": seconds}
    if missing.gold:
        document["missing_gold"] = _missing(missing)
    if missing_spans.spans:
        document["missing_spans"] = _missing_spans(missing_spans)
    if not_reranked := sum("reranker_unavailable" in each.degraded for each in judged):
        document["not_reranked"] = _not_reranked(not_reranked)
    for name, group in GROUPS.items():
        if figures := by_group(judged, answers, group):
            document[name] = figures
    if show:
        document["worst"] = [_document(*pair) for pair in worst(judged, answers, show)]
    if as_json:
        print_json(document)
    else:
        _print(document)


def _missing_spans(missing: MissingSpans) -> dict[str, Any]:
    first = [f"{span.page} ({span.language})" for span in missing.spans[:SHOWN_GOLD]]
    found = f"{len(missing.spans)} of {missing.total} spans of law are not in the index ({', '.join(first)})"
    return {
        "spans": len(missing.spans),
        "of": missing.total,
        "questions": missing.questions,
        "first": first,
        "warning": f"{found}: index the acts in these versions and languages. "
        f"{missing.questions} questions have no other and are not judged by their text.",
    }


def _not_reranked(questions: int) -> dict[str, Any]:
    warning = f"the reranker gave no scores for {questions:,} questions, whose pages count as they were found"
    return {"questions": questions, "warning": f"{warning}: `auskunft status` and the log say why."}


def _missing(missing: MissingGold) -> dict[str, Any]:
    found = f"{len(missing.gold)} of {missing.total} gold pages are not indexed ({_named(missing)})"
    counted = f"{missing.questions} questions have no other gold page and count as not found"
    return {
        "pages": len(missing.gold),
        "of": missing.total,
        "questions": missing.questions,
        "first": [str(gold) for gold in missing.gold[:SHOWN_GOLD]],
        "warning": f"{found}: {REMEDY}. {counted}.",
    }


def _named(missing: MissingGold) -> str:
    named = ", ".join(str(gold) for gold in missing.gold[:SHOWN_GOLD])
    return named if len(missing.gold) <= SHOWN_GOLD else f"{named}, …"


@contextmanager
def _pipeline(
    services: Services, sources: frozenset[str], preset: str | None, reranker: str | None
) -> Iterator[tuple[RagPipeline, SearchIndex]]:
    """Yield a pipeline and its index: the live one, or a scratch index if ``preset`` chunks pages
    differently."""
    chosen = _with_reranker(services.preset, reranker)
    options = chat_options(services.settings, chosen, SiteSettings(key=DEFAULT_KEY))
    live = services.indexing.index.live()
    if preset is None or live is None or live.recipe.build == services.indexing.build_recipe:
        warn_of_other_settings(services)
        yield make_pipeline(services.retriever_of(chosen), options), services.indexing.index
        return
    console(stderr=True).print(
        f"note: preset {preset!r} cuts pages otherwise than the index: they are cut and embedded for this"
    )
    with (
        long_work("cutting and embedding") as show,
        scratch_index(
            services.data,
            store=services.store,
            sources=sources,
            pipeline_of=services.indexing.pipeline_of,
            recipe=live.recipe,
            show=partial(show, "cutting and embedding"),
            contexts=services.indexing.contexts,
        ) as index,
    ):
        retriever = make_retriever(
            index=index,
            store=services.store,
            acts=ActPages(services.engine),
            embedder_of=services.indexing.embedders.of,
            preset=chosen,
            off_topic=services.indexing.off_topic,
            reranker=services.reranker,
        )
        yield make_pipeline(retriever, options), index


def _with_reranker(preset: Preset, reranker: str | None) -> Preset:
    """The preset, reranking if one is named, and not if that is ``NO_RERANKER``."""
    if reranker is None:
        return preset
    rerank = None if reranker == NO_RERANKER else preset.question.rerank or RerankPreset()
    return preset.model_copy(update={"question": preset.question.model_copy(update={"rerank": rerank})})


def _document(item: JudgedQuestion, answer: JudgedAnswer) -> dict[str, Any]:
    question = item.question
    return {
        "id": question.id,
        "question": question.question,
        "kind": question.kind,
        "gold": [str(gold) for gold in question.gold],
        "rank": item.rank,
        "found": list(item.found[:SHOWN_PAGES]),
        "status": answer.status,
        "right": answer.is_right,
        "shown": answer.shown,
    }


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value)


def _table(head: str, groups: Mapping[str, Figures]) -> Table:
    """Make a table with a row for each figure and a column for each group."""
    table = Table(head, *groups, box=None)
    for figure in next(iter(groups.values())):
        table.add_row(figure, *(_shown(figures[figure]) for figures in groups.values()))
    return table


def _print(document: dict[str, Any]) -> None:
    out = console()
    for name, value in document.items():
        if not isinstance(value, dict | list):
            out.print(f"{name:16} {_shown(value)}")
    for name in ("missing_gold", "missing_spans", "not_reranked"):
        if missing := document.get(name):
            out.print(f"warning: {missing['warning']}")
    for name in GROUPS:
        if groups := document.get(name):
            out.print()
            out.print(_table(name.replace("_", " "), groups))
    for item in document.get("worst", ()):
        _print_question(item)


def _print_question(item: Mapping[str, Any]) -> None:
    out = console()
    out.print(f"\n{item['id']} ({item['kind']}) {item['question']}")
    out.print(f"  wanted {', '.join(item['gold']) or 'nothing'}; rank {item['rank']}")
    for page in item["found"]:
        out.print(f"  found  {page}")
    right = {None: "", True: ", right", False: ", not the answer"}[item["right"]]
    out.print(f"  shown  ({item['status']}{right}) {shortened(item['shown'], SHOWN_CHARACTERS)}")
