"""``auskunft calibrate``: thresholds for the embedder in use, from a question pool."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import click

from app.chat.sites import select_sources
from app.cli.common import console, give_way, json_option, new_file, open_services, print_json, source_option
from app.cli.progress import long_work
from app.features.evaluation.calibration import Calibration, Observation, distributions, propose
from app.features.evaluation.commands.evaluation import warn_of_missing_gold
from app.features.evaluation.commands.options import pool_argument, report_language_option, report_option
from app.features.evaluation.measuring import known_gold
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.run import Observer, served_pages
from app.features.evaluation.word_calibration import WORD_THRESHOLDS
from app.presets import threshold_keys, toml_key
from app.search.index import live_generation


@click.command()
@pool_argument
@source_option
@report_option
@report_language_option
@json_option
def calibrate(*, pool: Path, source: str | None, report: Path | None, language: str, as_json: bool) -> None:
    """Propose thresholds for the embedder, from a question pool (JSON Lines with question and gold).

    Nothing is changed: copy the table into auskunft.toml, and check the effect with `auskunft evaluate`.
    """
    give_way()
    questions = load_pool(pool)
    with open_services() as services:
        sources = select_sources(services.store, source)
        index = services.indexing.index
        embedder = services.indexing.embedders.of(live_generation(index, services.store.id))
        warn_of_missing_gold(known_gold(str(pool), questions, served_pages(index, sources)))
        observer = Observer(
            index=index,
            embedder=embedder,
            off_topic=services.indexing.off_topic,
            sources=sources,
            retriever=services.retriever_of(services.preset),
        )
        with new_file(report) if report else nullcontext() as file:
            with long_work("asking") as show:
                observed = list(observer.observe(questions, partial(show, "asking")))
            proposed = propose(observed)
            name = threshold_keys(embedder.recipe)[0]
            if file:
                file.write(_page(name, pool.name, proposed, observed, language))
    if as_json:
        print_json(_document(name, proposed))
    else:
        _print(name, proposed)


def _page(name: str, pool: str, proposed: Calibration, observed: Sequence[Observation], language: str) -> str:
    from app.features.evaluation.report.calibration import render  # noqa: PLC0415 - few calibrations want one

    return render(name, pool, proposed, distributions(observed, proposed.thresholds), language)


def _document(name: str, proposed: Calibration) -> dict[str, object]:
    return {
        "model": name,
        "thresholds": _table(proposed),
        "lost": round(proposed.lost, 3),
        "refused": None if proposed.refused is None else round(proposed.refused, 3),
        "auc": None if proposed.auc is None else round(proposed.auc, 3),
        "hedged": round(proposed.words.flagged_answerable, 3) if proposed.words else None,
        "told": round(proposed.words.flagged_unanswerable, 3) if proposed.words else None,
    }


def _table(proposed: Calibration) -> dict[str, float]:
    """The thresholds that are proposed, by their names."""
    known = () if proposed.words else WORD_THRESHOLDS
    table: dict[str, float] = proposed.thresholds.model_dump(exclude=set(known))
    return table


def _print(name: str, proposed: Calibration) -> None:
    out = console()
    out.print(f"[thresholds.{toml_key(name)}]", markup=False)
    for field, value in _table(proposed).items():
        out.print(f"{field} = {value:.2f}")
    out.print(f"\n# of the answerable questions {proposed.lost:.0%} would be refused")
    if proposed.refused is not None:
        out.print(f"# of the others {proposed.refused:.0%} would be refused (AUC {proposed.auc:.2f})")
    else:
        out.print(
            "# the pool has no other questions: add some with an empty gold, to see if they are refused"
        )
    if words := proposed.words:
        ours, others = words.flagged_answerable, words.flagged_unanswerable
        shares = f"{ours:.0%} of the answerable questions and {others:.0%} of the others"
        out.print(f"# for words that no page has {shares} would be hedged")
    else:
        out.print("# words that no page has: too few questions to tell from when on one is absent")
