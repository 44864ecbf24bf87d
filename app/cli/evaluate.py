"""``auskunft evaluate``: the quality of retrieval on a question pool."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from app.chat.sites import select_sources
from app.cli.common import (
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
from app.evaluation.metrics import Figures, JudgedQuestion, by_language, summary, worst
from app.evaluation.pool import MissingGold, load_pool, missing_gold
from app.evaluation.run import judge
from app.evaluation.scratch import scratch_index
from app.law.retriever import LawRetriever, make_retriever
from app.pages.acts import ActPages
from app.search.index import SearchIndex
from app.services import Services

SHOWN_PAGES = 5
SHOWN_GOLD = 3
REMEDY = "index them, or correct their ids (auskunft pages lists all)"


@click.command()
@click.argument("pool", type=click.Path(path_type=Path))
@source_option
@preset_option
@click.option(
    "--show", type=click.IntRange(min=0), default=0, metavar="N", help="Print the N worst questions."
)
@json_option
def evaluate(pool: Path, source: str | None, preset: str | None, show: int, as_json: bool) -> None:
    """Measure retrieval on a question pool (JSON Lines with question, gold, history)."""
    give_way()
    questions = load_pool(pool)
    with open_services(preset=preset) as services:
        sources = select_sources(services.store, source)
        with _retriever(services, sources, preset) as (retriever, index):
            missing = missing_gold(questions, _indexed(index, sources))
            if missing.gold and len(missing.gold) == missing.total:
                raise PoolError(f"{pool}: none of its gold pages is indexed ({_named(missing)}): {REMEDY}")
            started = time.monotonic()
            with long_work("asking") as show_asking:
                judged = list(judge(retriever, questions, sources, partial(show_asking, "asking")))
            seconds = round(time.monotonic() - started, 1)
    document: dict[str, Any] = {**summary(judged), "seconds": seconds}
    if missing.gold:
        document["missing_gold"] = _missing(missing)
    if languages := by_language(judged):
        document["by_language"] = languages
    if show:
        document["worst"] = [_document(item) for item in worst(judged, show)]
    if as_json:
        print_json(document)
    else:
        _print(document)


def _indexed(index: SearchIndex, sources: frozenset[str]) -> set[str]:
    """The ids of the served pages of ``sources``."""
    live = index.live()
    return {ref.id for ref, _ in index.refs(live.number) if ref.source in sources} if live else set()


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
def _retriever(
    services: Services, sources: frozenset[str], preset: str | None
) -> Iterator[tuple[LawRetriever, SearchIndex]]:
    """Yield a retriever and its index: the live one, or a scratch index if ``preset`` chunks pages
    differently."""
    live = services.indexing.index.live()
    if preset is None or live is None or live.recipe.build == services.indexing.build_recipe:
        warn_of_other_settings(services)
        yield services.chat.default.retriever, services.indexing.index
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
        ) as index,
    ):
        retriever = make_retriever(
            index=index,
            store=services.store,
            acts=ActPages(services.engine),
            embedder_of=services.indexing.embedders.of,
            preset=services.preset,
        )
        yield retriever, index


def _document(item: JudgedQuestion) -> dict[str, Any]:
    question = item.question
    return {
        "id": question.id,
        "question": question.question,
        "kind": question.kind,
        "gold": [str(gold) for gold in question.gold],
        "rank": item.rank,
        "found": list(item.found[:SHOWN_PAGES]),
    }


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value)


def _table(languages: dict[str, Figures]) -> Table:
    """Make a table with a row for each language."""
    table = Table("language", *next(iter(languages.values())), box=None)
    for language, figures in languages.items():
        table.add_row(language, *map(_shown, figures.values()))
    return table


def _print(document: dict[str, Any]) -> None:
    out = console()
    for name, value in document.items():
        if name not in ("by_language", "worst", "missing_gold"):
            out.print(f"{name:12} {_shown(value)}")
    if missing := document.get("missing_gold"):
        out.print(f"warning: {missing['warning']}")
    if languages := document.get("by_language"):
        out.print(_table(languages))
    for item in document.get("worst", ()):
        out.print(f"\n{item['id']} ({item['kind']}) {item['question']}")
        out.print(f"  wanted {', '.join(item['gold']) or 'nothing'}; rank {item['rank']}")
        for page in item["found"]:
            out.print(f"  found  {page}")
