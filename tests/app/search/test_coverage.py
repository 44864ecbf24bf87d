"""Coverage: bounded, monotone, and higher for words near each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.analysis import TokenIds
from app.search.coverage import K1, STRIDE, WINDOW, B, Term, coverages, idf

WORDS = st.lists(st.integers(0, 9), min_size=0, max_size=400)


def ids(*numbers: int) -> TokenIds:
    """Token identifiers."""
    return np.array(numbers, dtype=np.uint64)


def coverage(terms: list[Term], tokens: TokenIds, average_length: float) -> float:
    """The coverage of a single page."""
    return coverages(terms, [tokens], average_length)[0]


def counted_by_hand(term: Term, tokens: list[int], average_length: float) -> float:
    """The definition for one word, window by window."""

    def share(text: list[int], norm: float) -> float:
        count = sum(token in term.ids.tolist() for token in text)
        return count / (count + K1 * (1 - B + B * norm))

    norm = min(len(tokens), WINDOW) / WINDOW
    windows = [tokens[start : start + WINDOW] for start in range(0, max(len(tokens) - STRIDE, 1), STRIDE)]
    return (share(tokens, len(tokens) / average_length) + max(share(window, norm) for window in windows)) / 2


@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_many_pages_at_once_get_what_the_definition_gives_each(
    pages: list[list[int]], forms: list[int]
) -> None:
    term = Term(ids(*forms), 2.0)
    expected = [counted_by_hand(term, tokens, 50.0) for tokens in pages]
    assert coverages([term], [ids(*tokens) for tokens in pages], 50.0) == pytest.approx(expected)


@given(WORDS, st.lists(st.tuples(st.integers(0, 12), st.floats(0.01, 9)), min_size=1, max_size=5))
def test_coverage_is_between_0_and_1(tokens: list[int], asked: list[tuple[int, float]]) -> None:
    terms = [Term(ids(word), weight) for word, weight in asked]
    assert 0.0 <= coverage(terms, ids(*tokens), 50.0) < 1.0


@given(WORDS, st.integers(0, 9))
def test_a_word_that_is_absent_adds_to_the_divisor_only(tokens: list[int], word: int) -> None:
    alone = coverage([Term(ids(word), 2.0)], ids(*tokens), 50.0)
    with_absent = coverage([Term(ids(word), 2.0), Term(ids(77), 2.0)], ids(*tokens), 50.0)
    assert with_absent == pytest.approx(alone / 2)


def test_the_figure_is_the_mean_of_page_and_window_saturation() -> None:
    tokens = ids(1, 1, *([2] * 18))
    page = 2 / (2 + K1 * (1 - B + B * 20 / 40))
    window = 2 / (2 + K1 * (1 - B + B * 20 / WINDOW))
    assert coverage([Term(ids(1), 3.0)], tokens, 40.0) == pytest.approx((page + window) / 2)


def test_words_close_together_cover_more_than_words_far_apart() -> None:
    filler = [9] * (3 * WINDOW)
    together, apart = ids(1, 2, *filler), ids(1, *filler, 2)
    terms = [Term(ids(1), 1.0), Term(ids(2), 1.0)]
    assert coverage(terms, together, 300.0) > coverage(terms, apart, 300.0)


@pytest.mark.parametrize("offset", [0, 1, STRIDE - 1, STRIDE, WINDOW, 5 * STRIDE + 7])
def test_every_place_of_the_page_lies_in_a_window(offset: int) -> None:
    tokens = np.zeros(6 * STRIDE + 11, dtype=np.uint64)
    tokens[offset] = 5
    page_only = 1 / (1 + K1 * (1 - B + B * len(tokens) / 100)) / 2
    assert coverage([Term(ids(5), 1.0)], tokens, 100.0) > page_only


def test_idf_is_lucenes() -> None:
    assert idf(100, 3) == pytest.approx(math.log(1 + 97.5 / 3.5))
    assert idf(10, 10) > 0


def test_nothing_asked_or_nothing_there_covers_nothing() -> None:
    assert coverage([], ids(1), 10.0) == coverage([Term(ids(1), 1.0)], ids(), 10.0) == 0.0
    assert coverages([Term(ids(1), 1.0)], [], 10.0) == []
