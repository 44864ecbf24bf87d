"""``auskunft recall``: compares ways to rank chunks by how often the answer is in the first ones."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

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
)
from app.cli.progress import long_work
from app.errors import PoolError
from app.features.evaluation.chunk_recall import (
    DEPTHS,
    ChunkRanking,
    by_both,
    by_reranker,
    by_vectors,
    by_words,
    chunk_misses,
)
from app.features.evaluation.commands.evaluation import scratch
from app.features.evaluation.commands.options import pool_argument, spans_option
from app.features.evaluation.pool import with_texts
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.run import served_pages, span_texts

PLAIN: Final = {"context_line": False, "contexts": False, "chunk_words": True}
CONTEXTUAL: Final = {"chunk_words": True}
RANKINGS: Final = (
    ChunkRanking(name="words", rank=by_words),
    ChunkRanking(name="vectors", rank=by_vectors),
    ChunkRanking(name="vectors + words", rank=by_both),
)


@click.command()
@pool_argument
@spans_option
@source_option
@preset_option
@json_option
def recall(*, pool: Path, spans: Path | None, source: str | None, preset: str | None, as_json: bool) -> None:
    """Compare ways to rank chunks on a question pool: the share of questions whose answer is not in the first
    chunks (1 - recall), for plain chunks and for those of a preset with their contexts."""
    give_way()
    questions = load_pool(pool, spans)
    if not any(each.spans or each.must or each.must_by_page for each in questions):
        raise PoolError(
            f"{pool}: no question says where its answer is: add spans or must, or use --spans FILE"
        )
    misses: dict[str, Mapping[int, float]] = {}
    with open_services(preset=preset or "contextual") as services:
        reranks = ChunkRanking(name="vectors + words, reranked", rank=by_reranker(services.reranker))
        sources, recipe = select_sources(services.store, source), services.indexing.recipe
        for label, changes in (("plain", PLAIN), ("contextual", CONTEXTUAL)):
            chunks = services.preset.index.model_copy(update=changes)
            with scratch(services, sources, recipe, f"embedding, {label}", chunks) as index:
                known, _ = with_texts(questions, span_texts(index, served_pages(index, sources), questions))
                with long_work(f"asking, {label}") as show:
                    found = chunk_misses(
                        index=index,
                        embedder=services.indexing.embedder,
                        questions=known,
                        sources=sources,
                        rankings=(*RANKINGS, reranks),
                        show=partial(show, f"asking, {label}"),
                    )
            misses |= {f"{label}: {name}": by_depth for name, by_depth in found.items()}
    if as_json:
        print_json(
            {name: {f"@{depth}": each for depth, each in found.items()} for name, found in misses.items()}
        )
    else:
        console().print(_table(misses))


def _table(misses: Mapping[str, Mapping[int, float]]) -> Table:
    table = Table("1 - recall", *(f"@{depth}" for depth in DEPTHS), box=None)
    for name, by_depth in misses.items():
        table.add_row(name, *(str(by_depth[depth]) for depth in DEPTHS))
    return table
