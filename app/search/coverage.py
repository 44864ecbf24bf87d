"""How much of a question's word weight a page holds, in [0, 1].

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; k1 1.2, b 0.75) without the
constant factor ``k1 + 1``, divided by the sum of the question's idfs, so that a page holding every word
often comes near 1. Computed over the whole page and over its best window of ``WINDOW`` tokens, and
averaged: the page says whether the subject is right, the window whether the words stand together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search.analysis import TokenIds

K1: Final = 1.2
B: Final = 0.75
WINDOW: Final = 96
STRIDE: Final = 48

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question: the identifiers of its forms, and its inverse document frequency."""

    ids: TokenIds
    idf: float


def idf(n_documents: int, frequency: int) -> float:
    """Lucene's idf, ``ln(1 + (N - n + 0.5) / (n + 0.5))``: positive for every n <= N."""
    return math.log(1 + (n_documents - frequency + 0.5) / (frequency + 0.5))


def coverage(terms: Sequence[Term], tokens: TokenIds, average_length: float) -> float:
    """Mean of the page's and its best window's share of the question's word weight.

    ``tokens``: the page's token identifiers in text order, shape ``(length,)``; ``average_length``: of the
    pages in the index, in tokens.
    """
    total = sum(term.idf for term in terms)
    if not total or not len(tokens):
        return 0.0
    page = np.zeros(1)
    windows = np.zeros(len(_window_starts(len(tokens))))
    for term in terms:
        found = np.isin(tokens, term.ids)
        page += term.idf * _saturated(np.array([found.sum()]), len(tokens) / max(average_length, 1.0))
        windows += term.idf * _saturated(_window_counts(found), min(len(tokens), WINDOW) / WINDOW)
    return float((page[0] + windows.max()) / 2 / total)


def _window_starts(length: int) -> Counts:
    return np.arange(0, max(length - STRIDE, 1), STRIDE)


def _window_counts(found: npt.NDArray[np.bool_]) -> Counts:
    running = np.concatenate(([0], np.cumsum(found)))
    starts = _window_starts(len(found))
    counts: Counts = running[np.minimum(starts + WINDOW, len(found))] - running[starts]
    return counts


def _saturated(counts: Counts, relative_length: float) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = counts / (counts + K1 * (1 - B + B * relative_length))
    return result
