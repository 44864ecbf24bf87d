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
STRIDE: Final = 48
WINDOW: Final = 2 * STRIDE

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question: the identifiers of its forms, and its inverse document frequency."""

    ids: TokenIds
    idf: float


def idf(n_documents: int, frequency: int) -> float:
    """Lucene's idf, ``ln(1 + (N - n + 0.5) / (n + 0.5))``: positive for every n <= N."""
    return math.log(1 + (n_documents - frequency + 0.5) / (frequency + 0.5))


def coverages(terms: Sequence[Term], pages: Sequence[TokenIds], average_length: float) -> list[float]:
    """Per page the mean of the page's and its best window's share of the question's word weight.

    ``pages``: each page's token identifiers in text order, shape ``(length,)``; ``average_length``: of the
    pages in the index, in tokens. All pages are counted at once, because array calls cost more than counting.
    """
    total = sum(term.idf for term in terms)
    if not total or not pages:
        return [0.0] * len(pages)
    places = _Places([len(tokens) for tokens in pages])
    tokens = np.concatenate(pages)
    page_norms = places.lengths / max(average_length, 1.0)
    window_norms = np.repeat(np.minimum(places.lengths, WINDOW) / WINDOW, places.windows)
    page_sums, window_sums = np.zeros(len(page_norms)), np.zeros(len(window_norms))
    for term in terms:
        in_pages, in_windows = places.counts(np.flatnonzero((term.ids[:, None] == tokens).any(axis=0)))
        page_sums += term.idf * _saturated(in_pages, page_norms)
        window_sums += term.idf * _saturated(in_windows, window_norms)
    best = np.maximum.reduceat(window_sums, places.first_windows)
    shares: list[float] = ((page_sums + best) / 2 / total).tolist()
    return shares


class _Places:
    """Pages of these ``lengths`` laid end to end, each cut into at least one window.

    Windows start every ``STRIDE`` tokens and reach over two strides; the last one reaches the page's end.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths: Counts = np.array(lengths, np.int64)
        self.windows: Counts = np.maximum(-(-(self.lengths - STRIDE) // STRIDE), 1)
        self.first_windows: Counts = np.cumsum(self.windows) - self.windows
        self._starts: Counts = np.cumsum(self.lengths) - self.lengths

    def counts(self, positions: Counts) -> tuple[Counts, Counts]:
        """How many of the ``positions`` (ascending) lie in each page, and in each window."""
        pages = np.searchsorted(self._starts, positions, side="right") - 1
        strides = (positions - self._starts[pages]) // STRIDE
        starting = (self.first_windows[pages] + strides)[strides < self.windows[pages]]
        reaching = (self.first_windows[pages] + strides - 1)[strides > 0]
        in_pages = np.bincount(pages, minlength=len(self.lengths))
        in_windows = np.bincount(np.concatenate((starting, reaching)), minlength=int(self.windows.sum()))
        return in_pages, in_windows


def _saturated(counts: Counts, relative_lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = counts / (counts + K1 * (1 - B + B * relative_lengths))
    return result
