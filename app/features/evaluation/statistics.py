"""Confidence intervals and permutation tests. Pure functions over questions' scores.

A pool is a sample of what visitors may ask. Drawing as many questions from it again and again, with
repetition, shows how much a figure depends on the questions that happen to be in it (bootstrap, percentile
intervals: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993). To test if two configurations
differ, their results are exchanged question by question: the share of exchanges that make as great a
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
"""If at most this many questions differ, all exchanges are tried: up to 2 ** 13 = 8,192."""

_BLOCK: Final = 1_000
"""Resamples in memory at a time."""

_TOLERANCE: Final = 1e-9
_NOTHING: Final = Score(0.0, 0)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A value with its interval; ``low`` and ``high`` are ``None`` if fewer than two questions count."""

    value: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> list[float] | None:
        """The ends of the interval, rounded for JSON."""
        return None if self.low is None or self.high is None else [round(self.low, 3), round(self.high, 3)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Measured):
    """A figure with its interval. ``count``: the number of questions that count for it."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Measured):
    """The second of two figures less the first, with its interval and the p-value."""

    p: float

    def document(self) -> dict[str, Any]:
        """Return the difference for JSON."""
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
    """Compare every figure that both have. Both are scores of the same questions in the same order."""
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
    """Return the figures that any question counts for, in their order."""
    return list(dict.fromkeys(name for each in scores for name, score in each.items() if score.weight))


def _arrays(names: Sequence[str], scores: Sequence[Scores]) -> Floats:
    """Return totals and weights, shape ``(questions, figures, 2)``."""
    return np.array([[each.get(name, _NOTHING) for name in names] for each in scores], dtype=np.float64)


def _figures(given: Floats) -> Floats:
    return _divided(given[..., 0].sum(axis=0), given[..., 1].sum(axis=0))


def _resampled(totals: Floats, counts: Floats) -> Floats:
    """Compute the figures of the resamples, a row for each; NaN if none of its questions counts.

    The same questions are drawn for any two runs of a pool, so that differences are paired.
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
    """Return the share of exchanges whose difference is at least as great as the measured one, two-sided.

    ``first`` and ``second``: a row of total and weight for each question. An exchange after which no question
    counts for one of the figures counts as at least as great.
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
    return (great + 1) / (exchanges + 1)  # exchanging nothing is one of them


def _difference(first: Floats, second: Floats) -> Floats:
    return _divided(second[..., 0], second[..., 1]) - _divided(first[..., 0], first[..., 1])


def _exchanges(questions: int) -> Iterator[Floats]:
    """Yield blocks with a row for each exchange: 1 for questions that are exchanged, 0 for the others.

    There are all exchanges if few questions differ, otherwise ``RESAMPLES`` random ones."""
    if questions <= EXACT_QUESTIONS:
        yield np.array(list(product((0.0, 1.0), repeat=questions)))
        return
    random = np.random.default_rng(SEED)
    for _ in range(RESAMPLES // _BLOCK):
        yield random.integers(0, 2, size=(_BLOCK, questions)).astype(np.float64)
