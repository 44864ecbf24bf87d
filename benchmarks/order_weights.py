"""Learns weights of ranking from questions and their candidates, with numpy alone. Pure functions.

A page's score is the weighted sum of its features. Learned weights make gold pages likely among a question's
candidates (softmax of the scores, as in ListNet: Cao et al., ICML 2007) and stay near the weights of today:
differences are penalised, in units of each feature's deviation, so that weights do not change without enough
data to support it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.order_features import FEATURES, TODAY, Candidates

OUTER_FOLDS: Final = 5
INNER_FOLDS: Final = 4
PENALTIES: Final = (float("inf"), 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
"""The penalties among which the inner folds choose; infinite: the weights of today."""

SHARPNESS: Final = (5.0, 10.0, 20.0, 40.0)
"""Factors for the scores of today in the softmax; the one with the lowest loss is taken."""

SAMPLES: Final = 2_000
_STEPS: Final = 30
_LEAST_GAIN: Final = 1e-7

Weights = npt.NDArray[np.float64]
Fit = Callable[[Sequence[Candidates]], Weights]
"""Learns weights from questions."""


def today() -> Weights:
    """Return the weights of today, by feature."""
    return np.array([TODAY.get(name, 0.0) for name in FEATURES])


def rank(candidates: Candidates, weights: Weights) -> float:
    """Return the rank of the first gold unit, from 1; infinite if no candidate is gold."""
    if not candidates.gold.any():
        return float("inf")
    scores = candidates.features @ weights
    gold = scores[candidates.gold].max()
    return 1.0 + len(np.unique(candidates.units[(scores > gold) & ~candidates.gold]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An option of the inner folds: the features whose weights may change, by number, and the penalty."""

    features: tuple[int, ...]
    penalty: float


def learned(questions: Sequence[Candidates], choice: Choice) -> Weights:
    """Return the weights that fit these questions."""
    start = today()
    usable = [each for each in questions if each.gold.any() and not each.gold.all()]
    if not usable or np.isinf(choice.penalty):
        return start
    data = _Data(usable, list(choice.features))
    sharpness = min(SHARPNESS, key=lambda factor: data.loss(start * factor))
    base = start * sharpness
    theta = base.copy()
    for _ in range(_STEPS):
        gradient, curvature = data.derivatives(theta, base, choice.penalty)
        step = np.zeros_like(theta)
        step[data.free] = np.linalg.solve(curvature, gradient)
        theta, has_moved = data.searched(theta, step, base, choice.penalty)
        if not has_moved:
            break
    result: Weights = theta / sharpness
    return result


class _Data:
    """Questions with one softmax each."""

    def __init__(self, questions: Sequence[Candidates], free: list[int]) -> None:
        self.free = free
        self._rows = np.concatenate([each.features for each in questions])
        self._gold = np.concatenate([each.gold for each in questions])
        sizes = [len(each.gold) for each in questions]
        self._first = np.cumsum([0, *sizes[:-1]])
        self._question = np.repeat(np.arange(len(sizes)), sizes)
        self._count = len(sizes)
        self._deviation = np.maximum(self._rows.std(axis=0), 1e-3)[free]

    def _shares(self, theta: Weights) -> tuple[Weights, Weights, Weights]:
        """Each page's softmax share among its question's candidates, its share among the gold pages, and the
        logarithm of the gold pages' share."""
        scores = self._rows @ theta
        scores = scores - np.maximum.reduceat(scores, self._first)[self._question]
        weight = np.exp(scores)
        gold = np.where(self._gold, weight, 0.0)
        every, golden = np.add.reduceat(weight, self._first), np.add.reduceat(gold, self._first)
        golden = np.maximum(golden, 1e-300)
        return weight / every[self._question], gold / golden[self._question], np.log(golden / every)

    def loss(self, theta: Weights) -> float:
        return -float(self._shares(theta)[2].mean())

    def _punished(self, theta: Weights, base: Weights, penalty: float) -> float:
        away = (theta - base)[self.free] * self._deviation
        return self.loss(theta) + penalty * float(away @ away) / 2

    def derivatives(self, theta: Weights, base: Weights, penalty: float) -> tuple[Weights, Weights]:
        """The direction of descent, and the curvature of the convex part."""
        share, golden, _ = self._shares(theta)
        rows = self._rows[:, self.free]
        down = rows.T @ (golden - share) / self._count
        down = down - penalty * self._deviation**2 * (theta - base)[self.free]
        means = np.add.reduceat(rows * share[:, None], self._first)
        curvature = (rows * share[:, None]).T @ rows - means.T @ means
        return down, curvature / self._count + np.diag(penalty * self._deviation**2 + 1e-9)

    def searched(self, theta: Weights, step: Weights, base: Weights, penalty: float) -> tuple[Weights, bool]:
        """Search along the step for a lower loss. Returns the weights, and True if they moved."""
        now = self._punished(theta, base, penalty)
        for size in (1.0, 0.5, 0.25, 0.125, 0.03):
            there = theta + size * step
            loss = self._punished(there, base, penalty)
            if loss < now - _LEAST_GAIN:
                return there, True
        return theta, False


def folds(questions: Sequence[Candidates], count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Return each question's fold. Questions with a common answer are in the same fold."""
    groups = _groups(questions)
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    return np.asarray(order[groups] % count, np.int64)


def _groups(questions: Sequence[Candidates]) -> npt.NDArray[np.int64]:
    """Number the questions that are connected by their answers."""
    parent: dict[str, str] = {}

    def root(about: str) -> str:
        while parent.setdefault(about, about) != about:
            about = parent[about]
        return about

    for each in questions:
        for about in each.about[1:]:
            parent[root(about)] = root(each.about[0])
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(root(each.about[0]), len(numbers)) for each in questions], np.int64)


def chosen(questions: Sequence[Candidates], features: Sequence[tuple[int, ...]]) -> Choice:
    """Return the choice with the best mean reciprocal rank on unseen folds of these questions; among equals,
    the one with the higher penalty."""
    choices = [Choice(features=each, penalty=penalty) for penalty in PENALTIES for each in features]
    fold = folds(questions, INNER_FOLDS, seed=1)

    def unseen(choice: Choice) -> float:
        return float((1 / unseen_ranks(questions, fold, lambda seen: learned(seen, choice))).mean())

    return max(choices, key=lambda choice: round(unseen(choice), 4))


def unseen_ranks(questions: Sequence[Candidates], fold: npt.NDArray[np.int64], fit: Fit) -> Weights:
    """Return each question's rank by the weights that ``fit`` learned from the other folds."""
    ranks = np.full(len(questions), np.inf)
    for number in np.unique(fold):
        weights = fit([each for each, own in zip(questions, fold, strict=True) if own != number])
        for position in np.flatnonzero(fold == number).tolist():
            ranks[position] = rank(questions[position], weights)
    return ranks


def interval(differences: Weights, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the means of resampled differences."""
    sample = np.random.default_rng(seed).integers(0, len(differences), (SAMPLES, len(differences)))
    low, high = np.percentile(differences[sample].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
