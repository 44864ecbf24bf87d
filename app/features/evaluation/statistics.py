"""Confidence intervals and permutation tests. Pure functions over questions' scores.

A pool is a sample of what visitors may ask. Drawing as many questions from it again and again, with
repetition, shows how much a figure owes to the questions that happen to be in it (bootstrap, percentile
intervals: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993). Whether two configurations differ
is asked by exchanging their results question by question: the share of exchanges that make as great a
difference is the p-value (paired permutation test: Smucker et al., "A comparison of statistical significance
tests for information retrieval evaluation", 2007). Both are seeded: equal results give equal numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from app.features.evaluation.metrics import Score, Scores

RESAMPLES: Final = 10_000
CONFIDENCE: Final = 0.95
SEED: Final = 20_260_101
EXACT_QUESTIONS: Final = 13
"""With at most so many questions that differ, all 2 ** 13 = 8,192 exchanges are looked at."""

_BLOCK: Final = 1_000
"""Resamples that are held in memory at a time."""

_TOLERANCE: Final = 1e-9
_NOTHING: Final = Score(0.0, 0)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A value with its interval; ``low`` and ``high`` are ``None`` where fewer than two questions count."""

    value: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> list[float] | None:
        """The ends of the interval, rounded for JSON."""
        return None if self.low is None or self.high is None else [round(self.low, 3), round(self.high, 3)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Measured):
    """A figure with its interval. ``count``: the questions that count for it."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Measured):
    """By how much the second of two figures is greater, with its interval, and the p-value."""

    p: float

    def document(self) -> dict[str, Any]:
        """The difference for JSON."""
        return {"difference": round(self.value, 3), "interval": self.interval, "p": round(self.p, 4)}


def estimates(scores: Sequence[Scores]) -> dict[str, Estimate]:
    """Estimate every figure that a question counts for, with 95 % intervals."""
    names = _names(scores)
    if not names:
        return {}
    given = _arrays(names, scores)
    lows, highs = _intervals(_resampled(given[..., 0], given[..., 1]))
    figures, sure = _figures(given), (given[..., 1] > 0).sum(axis=0)
    return {
        name: Estimate(
            value=float(figures[n]),
            low=float(lows[n]) if sure[n] > 1 else None,
            high=float(highs[n]) if sure[n] > 1 else None,
            count=int(sure[n]),
        )
        for n, name in enumerate(names)
    }


def differences(first: Sequence[Scores], second: Sequence[Scores]) -> dict[str, Difference]:
    """Compare every figure that both have: the scores of the same questions in the same order."""
    theirs = set(_names(second))
    names = [name for name in _names(first) if name in theirs]
    if not names:
        return {}
    before, after = _arrays(names, first), _arrays(names, second)
    lows, highs = _intervals(
        _resampled(after[..., 0], after[..., 1]) - _resampled(before[..., 0], before[..., 1])
    )
    found = _figures(after) - _figures(before)
    sure = np.minimum((before[..., 1] > 0).sum(axis=0), (after[..., 1] > 0).sum(axis=0)) > 1
    return {
        name: Difference(
            value=float(found[n]),
            low=float(lows[n]) if sure[n] else None,
            high=float(highs[n]) if sure[n] else None,
            p=_p_value(before[:, n], after[:, n]),
        )
        for n, name in enumerate(names)
    }


def _names(scores: Sequence[Scores]) -> list[str]:
    """The figures that any question counts for, in their order."""
    return list(dict.fromkeys(name for each in scores for name, score in each.items() if score.weight))


def _arrays(names: Sequence[str], scores: Sequence[Scores]) -> Floats:
    """Totals and counts: questions × figures × 2."""
    return np.array([[each.get(name, _NOTHING) for name in names] for each in scores], dtype=np.float64)


def _figures(given: Floats) -> Floats:
    return _divided(given[..., 0].sum(axis=0), given[..., 1].sum(axis=0))


def _resampled(totals: Floats, counts: Floats) -> Floats:
    """The figures of the resamples, a row for each; not a number where none of its questions counts.

    The same questions are drawn for any two runs of a pool, so that differences are those of pairs.
    """
    questions, random = len(totals), np.random.default_rng(SEED)
    chances = np.full(questions, 1 / max(questions, 1))
    rows = []
    for _ in range(RESAMPLES // _BLOCK):
        times = random.multinomial(questions, chances, size=_BLOCK).astype(np.float64)
        rows.append(_divided(times @ totals, times @ counts))
    return np.concatenate(rows)


def _divided(totals: Floats, counts: Floats) -> Floats:
    return np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)


def _intervals(resampled: Floats) -> tuple[Floats, Floats]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.nanquantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def _p_value(first: Floats, second: Floats) -> float:
    """The share of exchanges that make a difference at least as great as the one that was found, two-sided.

    ``first`` and ``second``: a row of total and count for each question. An exchange after which no question
    counts for one of the figures is as great as any.
    """
    differing = (first != second).any(axis=1)
    if not differing.any():
        return 1.0
    moved = (second - first)[differing]
    sums = first.sum(axis=0), second.sum(axis=0)
    found, great, exchanges = abs(_difference(*sums)), 0, 0
    for chosen in _exchanges(len(moved)):
        change = chosen @ moved
        made = np.abs(_difference(sums[0] + change, sums[1] - change))
        great += int((~(made < found - _TOLERANCE)).sum())
        exchanges += len(chosen)
    if len(moved) <= EXACT_QUESTIONS:
        return great / exchanges
    return (great + 1) / (exchanges + 1)  # the exchange of nothing is one of them


def _difference(first: Floats, second: Floats) -> Floats:
    return _divided(second[..., 0], second[..., 1]) - _divided(first[..., 0], first[..., 1])


def _exchanges(questions: int) -> Iterator[Floats]:
    """Which questions are exchanged (1) and which are not (0), a row for each exchange: all that there are,
    or ``RESAMPLES`` at random."""
    if questions <= EXACT_QUESTIONS:
        yield np.array(list(product((0.0, 1.0), repeat=questions)))
        return
    random = np.random.default_rng(SEED)
    for _ in range(RESAMPLES // _BLOCK):
        yield random.integers(0, 2, size=(_BLOCK, questions)).astype(np.float64)
