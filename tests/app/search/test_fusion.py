"""Rankings, on scores worked out by hand."""

from collections.abc import Collection, Mapping
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.presets import Ranking, Thresholds
from app.search.fusion import RANKINGS, fused_hits
from app.search.retrieval import Hit
from app.search.types import Candidate, ChunkHit, IndexedPage
from ingest.types import FieldName, PageRef
from tests.app.chat.pages import hit, page

THRESHOLDS = Thresholds(base=0.5, name=0.9, title=0.6, description=0.9, keywords=0.9, content=0.7)


def candidate(
    name: str,
    cosines: Mapping[FieldName, float],
    coverage: float = 0.0,
    *,
    near: Collection[str] | None = None,
    keyword: bool = False,
) -> Candidate:
    """A page with these best cosines, returned by the kNN clauses of the fields ``near`` (default: all)."""
    ref = PageRef(source="town", id=name, language="en")
    page = IndexedPage(
        ref=ref, document=name, sequence=1, url="", kind="page", updated=None, fields={"content": name}
    )
    chunks = {
        field: (ChunkHit(position=0, start=0, end=1, cosine=cosine),) for field, cosine in cosines.items()
    }
    returned = frozenset(field for field in cosines if near is None or field in near)
    return Candidate(page=page, chunks=chunks, near_fields=returned, keyword=keyword, coverage=coverage)


def scores(ranking: Ranking, *candidates: Candidate) -> dict[str, float]:
    """The pages' scores, in the order of their rank."""
    return {found.page.ref.id: score for score, found in RANKINGS[ranking](candidates, THRESHOLDS)}


def test_a_relevance_sum_counts_content_and_coverage_in_full_and_side_fields_less() -> None:
    both = candidate("both", {"content": 0.75, "title": 0.6, "name": 1.0}, coverage=0.1)
    words = candidate("words", {"content": 0.4}, coverage=0.9)
    found = scores("relevance_sum", both, words)
    assert list(found) == ["words", "both"]
    assert found == pytest.approx({"words": 0.9, "both": 0.5 + 0.1 + 0.3 * 0.2})


def test_a_clause_sum_counts_what_passes_its_threshold() -> None:
    found = scores("clause_sum", candidate("a", {"content": 0.7, "title": 0.8, "name": 0.89}, coverage=1.0))
    assert found == pytest.approx({"a": 0.85 + 0.9})


def test_a_clause_sum_counts_only_the_clauses_that_brought_the_page() -> None:
    far = candidate("far", {"content": 0.9, "title": 0.8}, near=("title",))
    assert scores("clause_sum", far) == pytest.approx({"far": 0.9})


def test_a_relevance_sum_counts_every_field_whichever_clause_brought_the_page() -> None:
    words = candidate("words", {"content": 0.75, "title": 0.6}, 0.1, near=(), keyword=True)
    assert scores("relevance_sum", words) == pytest.approx({"words": 0.5 + 0.1 + 0.3 * 0.2})


def test_cosine_ranks_by_the_contents_best_and_by_nothing_else() -> None:
    plain = candidate("plain", {"content": 0.8})
    titled = candidate("titled", {"content": 0.7, "title": 1.0}, coverage=1.0, keyword=True)
    words = candidate("words", {}, coverage=1.0, keyword=True)
    found = scores("cosine", words, titled, plain)
    assert list(found.items()) == [("plain", 0.8), ("titled", 0.7), ("words", 0.0)]


def test_reciprocal_rank_adds_a_pages_places_in_the_list_of_vectors_and_in_that_of_words() -> None:
    near = candidate("near", {"content": 0.9}, coverage=0.8)  # the words' list left it out
    both = candidate("both", {"content": 0.8}, coverage=0.3, keyword=True)
    words = candidate("words", {"title": 1.0, "content": 0.7}, 0.5, near=("title",), keyword=True)
    found = scores("reciprocal_rank", words, near, both)
    assert list(found) == ["both", "near", "words"]
    assert found == pytest.approx({"both": 1 / 62 + 1 / 62, "near": 1 / 61, "words": 1 / 61})


def test_reciprocal_rank_knows_places_and_not_how_far_apart_they_are() -> None:
    close = [candidate(name, {"content": c}) for name, c in (("a", 0.9), ("b", 0.89))]
    apart = [candidate(name, {"content": c}) for name, c in (("a", 0.9), ("b", -0.5))]
    assert scores("reciprocal_rank", *close) == scores("reciprocal_rank", *apart)


def test_every_ranking_a_preset_may_name_exists() -> None:
    assert set(RANKINGS) == set(get_args(Ranking))


COSINES = st.dictionaries(st.sampled_from(["title", "content"]), st.sampled_from([-0.5, 0.6, 0.9]))
PAGES = st.lists(
    st.tuples(st.sampled_from("abcdef"), COSINES, st.sampled_from([0.0, 0.5]), st.booleans()),
    unique_by=lambda page: page[0],
)


@given(st.sampled_from(get_args(Ranking)), PAGES, st.randoms())
def test_each_candidate_comes_back_once_best_first_in_whatever_order_they_came(
    ranking: Ranking, pages: list[tuple[str, dict[FieldName, float], float, bool]], random: Random
) -> None:
    candidates = [candidate(name, cosines, coverage, keyword=kw) for name, cosines, coverage, kw in pages]
    once = list(scores(ranking, *candidates).items())
    assert sorted(name for name, _ in once) == sorted(name for name, *_ in pages)
    assert once == sorted(once, key=lambda pair: (-pair[1], pair[0]))
    random.shuffle(candidates)
    assert list(scores(ranking, *candidates).items()) == once


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (["a", "b"], ["c", "d"], ["a", "c"]),  # where nothing is agreed on, the first list's first page
        (["a", "b"], ["b", "c"], ["b", "a"]),  # both know b, and one has it first
        (["a", "b", "c"], ["b", "a", "c"], ["a", "b", "c"]),
        (["a"], ["b", "c"], ["a", "b"]),
        ([], ["b", "c"], ["b", "c"]),
    ],
)
def test_two_lists_of_hits_are_joined_by_what_both_think_of_a_page(
    first: list[str], second: list[str], joined: list[str]
) -> None:
    def hits(names: list[str]) -> list[Hit]:
        return [hit(page(name, content=name), rank=rank) for rank, name in enumerate(names, start=1)]

    found = fused_hits(hits(first), hits(second))
    assert [each.page.ref.id for each in found] == joined
    assert [each.rank for each in found] == list(range(1, len(joined) + 1))
