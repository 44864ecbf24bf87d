"""The share of a question's word weight that a page or a text has, in [0, 1].

For a page it is BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; k1 1.2, b 0.75)
without the constant factor ``k1 + 1``, divided by the sum of the question's idfs, so that a page with many
occurrences of every word comes near 1. It is the mean of two values, for the whole page and for its best
window of ``WINDOW`` tokens: the page shows that the subject is right, the window that the words are close
together.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search import analysis, dictionary
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
    """Return Lucene's idf, ``ln(1 + (N - n + 0.5) / (n + 0.5))``: positive for every n <= N."""
    return math.log(1 + (n_documents - frequency + 0.5) / (frequency + 0.5))


def coverages(terms: Sequence[Term], pages: Sequence[TokenIds], average_length: float) -> list[float]:
    """Return for each page the mean of its own and its best window's share of the question's word weight.

    ``pages``: each page's token identifiers in text order, shape ``(length,)``. ``average_length``: of the
    pages in the index, in tokens. All pages are counted at once, because array calls cost more than counting.
    """
    total = sum(term.idf for term in terms)
    if not total or not pages:
        return [0.0] * len(pages)
    windows = _Windows([len(tokens) for tokens in pages])
    tokens = np.concatenate(pages)
    page_norms = windows.page_lengths / max(average_length, 1.0)
    window_norms = np.repeat(np.minimum(windows.page_lengths, WINDOW) / WINDOW, windows.per_page)
    page_sums, window_sums = np.zeros(len(page_norms)), np.zeros(len(window_norms))
    for term in terms:
        in_pages, in_windows = windows.counts(np.flatnonzero((term.ids[:, None] == tokens).any(axis=0)))
        page_sums += term.idf * _saturated(in_pages, page_norms)
        window_sums += term.idf * _saturated(in_windows, window_norms)
    best = np.maximum.reduceat(window_sums, windows.first)
    shares: list[float] = ((page_sums + best) / 2 / total).tolist()
    return shares


class _Windows:
    """The windows of pages of these lengths (in tokens) whose tokens are concatenated.

    A page has at least one window. Windows start every ``STRIDE`` tokens and are two strides long; the last
    one ends with the page. ``per_page``: the number of windows. ``first``: the number of each page's first.
    """

    def __init__(self, page_lengths: Sequence[int]) -> None:
        self.page_lengths: Counts = np.array(page_lengths, np.int64)
        self.per_page: Counts = np.maximum(-(-(self.page_lengths - STRIDE) // STRIDE), 1)
        self.first: Counts = np.cumsum(self.per_page) - self.per_page
        self._page_starts: Counts = np.cumsum(self.page_lengths) - self.page_lengths

    def counts(self, positions: Counts) -> tuple[Counts, Counts]:
        """Count the ``positions`` (ascending) in each page, and in each window."""
        pages = np.searchsorted(self._page_starts, positions, side="right") - 1
        strides = (positions - self._page_starts[pages]) // STRIDE
        first_halves = (self.first[pages] + strides)[strides < self.per_page[pages]]
        second_halves = (self.first[pages] + strides - 1)[strides > 0]
        numbers = np.concatenate((first_halves, second_halves))
        in_pages = np.bincount(pages, minlength=len(self.page_lengths))
        in_windows = np.bincount(numbers, minlength=int(self.per_page.sum()))
        return in_pages, in_windows


def _saturated(counts: Counts, relative_lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = counts / (counts + K1 * (1 - B + B * relative_lengths))
    return result


class QuestionWords:
    """The question's words with their weights, ``ln(1 + n / (df + 0.5))`` over the ``texts`` found. Each text
    is given as its language and its stems."""

    def __init__(self, question: str, language: str, texts: Sequence[tuple[str, frozenset[str]]]) -> None:
        self._language = language
        self._words = analysis.content_words(question, language)
        self._forms: dict[str, dict[str, set[int]]] = {}
        self._known: dict[str, dict[frozenset[str], frozenset[int]]] = defaultdict(dict)
        self._shares: dict[frozenset[int], float] = {}
        counts = Counter(number for own, stems in texts for number in self.among(own, stems))
        self._weights = [
            math.log1p(len(texts) / (counts[number] + 0.5)) for number in range(len(self._words))
        ]
        self._total = math.fsum(self._weights) or 1.0

    def among(self, language: str, stems: frozenset[str]) -> frozenset[int]:
        """Return the numbers of the question's words that are among the stems, which are in ``language``."""
        known = self._known[language]
        if stems not in known:
            forms = self._forms_in(language)
            known[stems] = frozenset[int]().union(*map(forms.__getitem__, forms.keys() & stems))
        return known[stems]

    def share(self, numbers: frozenset[int]) -> float:
        """Return the share that these words have in the weight of all words."""
        if numbers not in self._shares:
            self._shares[numbers] = math.fsum(self._weights[number] for number in numbers) / self._total
        return self._shares[numbers]

    def _forms_in(self, language: str) -> dict[str, set[int]]:
        """Map every form that the words may have in this language to the numbers of the words."""
        if language not in self._forms:
            forms = self._forms[language] = defaultdict(set)
            for number, word in enumerate(self._words):
                for form in dictionary.forms(word, self._language, language):
                    forms[form].add(number)
        return self._forms[language]
