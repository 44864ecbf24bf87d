"""Compares what a model reads within a few thousand characters with a plain vector search.

``python -m benchmarks.budget POOL[:SPANS]=DATA[:SOURCE] [...]``: each pool with the data folder of an
installation that serves its pages, all or those of one source. Both ways search the same pages with the same
embedder, in one run: the product without a model, and pieces of 1,000 characters, the nearest first
(:mod:`benchmarks.plain_search`). A question counts as answered if the text read contains its gold answer. For
each number of characters, it prints the shares of both and the product's lead, with 95 % intervals over the
questions: of each pool, and of all together. ``--half open`` and ``--half hidden`` take every second
question: tune on the former, report the latter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import click

from app.chat.answer import Answerer
from app.chat.sites import select_sources
from app.features.evaluation.answers import conversation, judge_answers
from app.features.evaluation.metrics import Score, Scores
from app.features.evaluation.pool import PoolQuestion, gold_sources, with_texts
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.run import served_pages, span_texts
from app.features.evaluation.statistics import differences, estimates
from app.features.evaluation.words import beginning, markdown_words
from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import load_settings
from benchmarks.plain_search import PlainSearch, meant

BUDGETS: Final = (2_000, 4_000, 8_000)
"""Characters that a model reads."""

SHOWN_BUDGET: Final = 4_000

Half = Literal["open", "hidden", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and, by budget, True if a way reads its answer: ``ours``, the product, and ``plain``."""

    question: PoolQuestion
    ours: Mapping[int, bool]
    plain: Mapping[int, bool]


@click.command(help="Compare what a model reads with a plain vector search.")
@click.argument("pools", nargs=-1, metavar="[POOL[:SPANS]=DATA[:SOURCE]]...")
@click.option("--half", type=click.Choice(["open", "hidden", "both"]), default="both", show_default=True)
@click.option("--show", is_flag=True, help="List what the product does not read within 4,000.")
def main(pools: Sequence[str], half: Half, show: bool) -> None:
    configure_quiet_logging()
    asked = {pool: found for pool in pools if (found := list(_asked(pool, half)))}
    if not asked:
        raise click.UsageError("no pool with indexed answers: name one as POOL.jsonl=DATA")
    for line in table(asked):
        click.echo(line)
    missed = [each for found in asked.values() for each in found if show and not each.ours[SHOWN_BUDGET]]
    for each in missed:
        click.echo(f"{'plain reads' if each.plain[SHOWN_BUDGET] else 'neither'}: {each.question.question}")


def table(asked: Mapping[str, Sequence[Asked]]) -> Iterator[str]:
    """Yield the figures as a table in Markdown."""
    yield "| | questions | " + " | ".join(f"@{budget:,}, plain, ahead by" for budget in BUDGETS) + " |"
    yield "|---" * (2 + len(BUDGETS)) + "|"
    everything = [each for found in asked.values() for each in found]
    named = {Path(pool.partition("=")[0].partition(":")[0]).stem: found for pool, found in asked.items()}
    rows = named | ({"all": everything} if len(named) > 1 else {})
    for name, found in rows.items():
        yield f"| {name} | {len(found)} | {' | '.join(_cells(found))} |"


def _cells(asked: Sequence[Asked]) -> Iterator[str]:
    ours = [_scores(each.ours) for each in asked]
    plain = [_scores(each.plain) for each in asked]
    shares, others, ahead = estimates(ours), estimates(plain), differences(plain, ours)
    for budget in map(str, BUDGETS):
        by = ahead[budget]
        yield (
            f"{shares[budget].value:.3f}, {others[budget].value:.3f}, {by.value:+.3f} "
            f"({by.low or 0:+.3f} to {by.high or 0:+.3f})"
        )


def _scores(read: Mapping[int, bool]) -> Scores:
    return {str(budget): Score(float(is_read)) for budget, is_read in read.items()}


def _asked(named: str, half: Half) -> Iterator[Asked]:
    """Ask the answerable questions of a pool whose answer is known as text."""
    pool, _, installation = named.partition("=")
    path, _, spans = pool.partition(":")
    data, _, source = installation.partition(":")
    if not data or not Path(path).is_file() or not Path(data).is_dir():
        click.echo(f"{named}: not there, skipped")
        return
    with Services(load_settings(data=Path(data), preset="default")) as services:
        index, sources = services.indexing.index, select_sources(services.store, source or None)
        questions = load_pool(Path(path), Path(spans) if spans else None)
        served = served_pages(index, sources)
        known, _ = with_texts(questions, span_texts(index, served, questions))
        indexed = gold_sources(served)
        counted = [each for each in known if each.has_text and not indexed.keys().isdisjoint(each.gold)]
        step = {"open": slice(0, None, 2), "hidden": slice(1, None, 2), "both": slice(None)}[half]
        plain = PlainSearch(index.pages(served), services.indexing.embedder, services.indexing.vector_cache)
        click.echo(f"{path}: {len(counted[step])} questions, {len(served):,} pages, {len(plain):,} pieces")
        yield from _both(services.chat.default.answerer, plain, counted[step], sources)


def _both(
    answerer: Answerer, plain: PlainSearch, questions: Sequence[PoolQuestion], sources: frozenset[str]
) -> Iterator[Asked]:
    turns = [conversation(answerer, question, sources) for question in questions]
    for judged, question in zip(judge_answers(answerer, turns, sources), questions, strict=True):
        read = plain.context(meant(question), max(BUDGETS))
        yield Asked(
            question=question,
            ours={budget: judged.within[budget] for budget in BUDGETS},
            plain={budget: question.is_in(markdown_words(beginning(read, budget))) for budget in BUDGETS},
        )


if __name__ == "__main__":
    main()
