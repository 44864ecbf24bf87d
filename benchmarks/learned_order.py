"""Learns weights for preset ``default``'s ranking, and measures their gain on unseen questions.

``python -m benchmarks.learned_order POOL=DATA [POOL=DATA ...]``: each pool with the data folder of an
installation that serves its pages, such as ``app/demo/questions.jsonl=data``. Missing pools and folders are
skipped. Questions are embedded, pages are not embedded again. ``--cache`` keeps the features of all
candidates for the next run.

Questions are divided into folds, those about the same page together. The weights that rank a fold are learned
from the other folds alone, and so are the choices of features and of how far weights may move from those of
today (nested cross-validation). It prints the figures of today's and the learned weights, the 95 % interval
of resampled differences, the gain of each feature, and the ceiling: the share of questions with a right page
among the candidates.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import click
import numpy as np

from app.features.evaluation.pool_file import load_pool
from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import load_settings
from benchmarks.order_features import DEPTH, FEATURES, TODAY, Candidates, collect, read, write
from benchmarks.order_weights import (
    OUTER_FOLDS,
    Choice,
    Weights,
    chosen,
    folds,
    interval,
    learned,
    rank,
    today,
    unseen_ranks,
)

HAND: Final = tuple(FEATURES.index(name) for name in TODAY)
EVERY: Final = tuple(range(len(FEATURES)))
FEATURE_SETS: Final = (HAND, EVERY)
PENALTY: Final = 0.1
"""The penalty while measuring each feature's gain: the same for all, so that nothing else differs."""


@click.command(help="Learn the ranking's weights and measure them on unseen questions.")
@click.argument("pools", nargs=-1, metavar="[POOL=DATA]...")
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="Keep the features here.")
def main(pools: Sequence[str], cache: Path | None) -> None:
    configure_quiet_logging()
    if cache and cache.exists():
        collected = read(cache)
    else:
        collected = [each for pool in pools for each in _collected(pool)]
        if cache and collected:
            write(cache, collected)
    if not collected:
        raise click.UsageError("no pool with indexed answers: name one as POOL.jsonl=DATA")
    report(collected)


def _collected(pool: str) -> list[Candidates]:
    path, _, data = pool.partition("=")
    if not data or not Path(path).is_file() or not Path(data).is_dir():
        click.echo(f"{pool}: not there, skipped")
        return []
    with Services(load_settings(data=Path(data), preset="default")) as services:
        found = list(collect(services, f"{Path(path).parent.name}/{Path(path).stem}", load_pool(Path(path))))
    click.echo(f"{pool}: {len(found)} questions")
    return found


def report(collected: Sequence[Candidates]) -> None:
    """Print the gain of the learned weights on unseen folds."""
    fold = folds(collected, OUTER_FOLDS)
    before = np.array([rank(each, today()) for each in collected])
    after = unseen_ranks(collected, fold, lambda seen: learned(seen, chosen(seen, FEATURE_SETS)))
    ceiling = np.array([float(each.gold.any()) for each in collected])
    click.echo("\nquestions: hit@1, hit@5, MRR@10 of today > learned, difference of MRR [95 in 100]; ceiling")
    for name, held in _groups(collected):
        _line(name, before[held], after[held], ceiling[held])
    best = chosen(collected, FEATURE_SETS)
    click.echo(f"\nweights learned from all questions, penalty {best.penalty}; content is 1")
    weights = learned(collected, best)
    for name, value, hand in zip(FEATURES, weights / weights[0], today(), strict=True):
        click.echo(f"{name:16} {value:7.2f}  today {hand:.2f}")
    click.echo(f"\nMRR@10 on unseen folds, penalty {PENALTY}")
    _gains(collected, fold)


def _gains(collected: Sequence[Candidates], fold: np.typing.NDArray[np.int64]) -> None:
    def unseen(features: Sequence[int]) -> Weights:
        return _reciprocal(
            unseen_ranks(
                collected, fold, partial(learned, choice=Choice(features=tuple(features), penalty=PENALTY))
            )
        )

    hand, every = unseen(HAND), unseen(EVERY)
    click.echo(f"hand's features {hand.mean():.3f}, all {every.mean():.3f}")
    for number, name in enumerate(FEATURES):
        without = every - unseen([each for each in EVERY if each != number])
        added = unseen([*HAND, number]) - hand if number not in HAND else np.zeros(len(hand))
        click.echo(f"{name:16} beside all others {_difference(without)}, beside hand's {_difference(added)}")


def _groups(collected: Sequence[Candidates]) -> list[tuple[str, np.typing.NDArray[np.bool_]]]:
    pairs = sorted({(each.pool, each.language) for each in collected})
    named = [
        (
            f"{pool} {language}",
            np.array([(each.pool, each.language) == (pool, language) for each in collected]),
        )
        for pool, language in pairs
    ]
    pools = [
        (pool, np.array([each.pool == pool for each in collected]))
        for pool in sorted({pool for pool, _ in pairs})
    ]
    return [*named, *pools, ("all", np.ones(len(collected), np.bool_))]


def _line(name: str, before: Weights, after: Weights, ceiling: Weights) -> None:
    hits = ", ".join(f"{(before <= depth).mean():.3f} > {(after <= depth).mean():.3f}" for depth in (1, 5))
    old, new = _reciprocal(before), _reciprocal(after)
    click.echo(
        f"{name:32} {len(before):4}: {hits}, {old.mean():.3f} > {new.mean():.3f}, {_difference(new - old)}; "
        f"among {DEPTH} an arm {ceiling.mean():.3f}"
    )


def _reciprocal(ranks: Weights) -> Weights:
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def _difference(differences: Weights) -> str:
    low, high = interval(differences)
    return f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
