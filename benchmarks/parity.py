"""Compares both indexes on the same pages and questions: ``python -m benchmarks.parity DATA POOL.jsonl``.

``DATA`` is the data folder of an installation with the embedded index. Elasticsearch's index is built from a
copy of its page store, whose vector cache makes embedding unnecessary. Then both get every question.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Final

import click

from app.features.evaluation.metrics import summary
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.run import judge
from app.monitoring.logging import configure_quiet_logging
from app.search.types import QuerySpec
from app.services import Services
from app.settings.settings import load_settings
from benchmarks.elastic_index import copied, serving
from benchmarks.figures import show
from ingest.types import FIELDS, FieldName, PageRef, Vectors

FIRST: Final = 5
FIGURES: Final = ("hit@1", "hit@5", "mrr@10")
EVERY_FIELD: Final[Mapping[FieldName, int]] = dict.fromkeys(FIELDS, 10)

Scope = frozenset[str]
Nearest = dict[tuple[FieldName, PageRef], float]
"""The best cosine of each page that a field's clause returned."""


@click.command(help="Compare what Elasticsearch finds with what the embedded index finds.")
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("pool", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--vectors", "kind", default="hnsw", show_default=True, help="Kind of Elasticsearch's vectors.")
@click.option("--url", help="A server to use; without, one is started.")
def main(data: Path, pool: Path, kind: str, url: str | None) -> None:
    configure_quiet_logging()
    questions = load_pool(pool)
    with ExitStack() as stack:
        address = stack.enter_context(serving(url))
        settings = stack.enter_context(copied(data, address, elasticsearch_vectors=kind))
        elastic = stack.enter_context(Services(settings))
        elastic.indexing.rebuilder.build()
        embedded = stack.enter_context(Services(load_settings(data=data, index="embedded")))
        scope = frozenset(embedded.store.sources())
        _compare_nearest(embedded, elastic, questions, scope)
        _compare_retrieval(embedded, elastic, questions, scope)


def _compare_nearest(
    first: Services, second: Services, questions: Sequence[PoolQuestion], scope: Scope
) -> None:
    equal, differences = 0, [0.0]
    for question in questions:
        vector = first.indexing.embedder.embed_query(_asked(question))
        here, there = _nearest(first, vector, scope), _nearest(second, vector, scope)
        equal += here.keys() == there.keys()
        differences += [abs(here[key] - there[key]) for key in here.keys() & there.keys()]
    show("questions with the same nearest pages", f"{equal / len(questions):.1%}")
    show("largest difference of a cosine", f"{max(differences):.1e}")


def _nearest(services: Services, vector: Vectors, scope: Scope) -> Nearest:
    found = services.indexing.index.search(
        QuerySpec(words=(), sources=scope, vector=vector, k=EVERY_FIELD, keyword="none")
    )
    return {
        (name, candidate.page.ref): cosine
        for candidate in found
        for name, cosine in candidate.similarity.items()
    }


def _compare_retrieval(
    first: Services, second: Services, questions: Sequence[PoolQuestion], scope: Scope
) -> None:
    here, there = (
        list(judge(services.chat.default.retriever, questions, scope)) for services in (first, second)
    )
    pairs = [(a.found[:FIRST], b.found[:FIRST]) for a, b in zip(here, there, strict=True)]
    overlaps = [len(set(a) & set(b)) / max(len(a), len(b), 1) if a != b else 1.0 for a, b in pairs]
    show(f"overlap of the first {FIRST}", f"{fmean(overlaps):.1%}")
    show("questions with the same first pages in order", f"{fmean(a == b for a, b in pairs):.1%}")
    figures = [summary(judged) for judged in (here, there)]
    for name in FIGURES:
        show(f"{name}, embedded and Elasticsearch", f"{figures[0][name]} and {figures[1][name]}")


def _asked(question: PoolQuestion) -> str:
    said = [turn.content for turn in question.history if turn.role == "user"]
    return " ".join([*said[-1:], question.question])


if __name__ == "__main__":
    main()
