"""Chunks ranked by two lists, and read page by page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.chunk_ranking import WORD_BYTES, as_pages, fused, passages_of
from app.search.types import ChunkCandidate, IndexedPage
from ingest.types import PageRef

CONTENT = "The ferry leaves at nine. The pool opens in May. Dogs are taxed."


def chunk(
    name: str,
    position: int = 0,
    span: tuple[int, int] = (0, 5),
    *,
    near: int | None = None,
    matching: int | None = None,
    content: str = CONTENT,
) -> ChunkCandidate:
    ref = PageRef(source="town", id=name, language="en")
    page = IndexedPage(
        ref=ref, document=name, sequence=1, url="", kind="page", updated=None, fields={"content": content}
    )
    cosine = 0.9 if near else None
    start, end = span
    return ChunkCandidate(
        page=page,
        position=position,
        start=start,
        end=end,
        context="",
        cosine=cosine,
        near=near,
        matching=matching,
    )


def names(chunks: list[ChunkCandidate], words: float = 1.0) -> list[str]:
    return [each.chunk.page.ref.id for each in fused(chunks, words)]


def test_a_chunk_of_both_lists_comes_before_the_first_of_either() -> None:
    assert names([chunk("near", near=1), chunk("words", matching=1), chunk("both", near=3, matching=3)]) == [
        "both",
        "near",
        "words",
    ]


def test_words_may_weigh_less_than_meaning_or_nothing() -> None:
    found = [chunk("words", matching=1), chunk("near", near=20)]
    assert names(found) == ["words", "near"]
    assert names(found, words=0.2) == ["near", "words"]
    assert fused(found, words=0.0)[-1].score == 0


def test_pages_come_in_the_order_of_their_best_chunks_with_all_of_them() -> None:
    ranked = fused(
        [chunk("a", 0, near=2), chunk("b", 0, near=1), chunk("b", 1, near=4), chunk("a", 1, matching=9)], 1.0
    )
    pages = as_pages(ranked, unrelated=0.7)
    assert [(page.page.ref.id, [hit.position for hit in page.chunks["content"]]) for _, page in pages] == [
        ("b", [0, 1]),
        ("a", [0, 1]),
    ]
    assert [hit.cosine for hit in pages[1][1].chunks["content"]] == [0.9, 0.7]


def test_a_passage_begins_and_ends_with_whole_words() -> None:
    [(_, page)] = as_pages(fused([chunk("a", span=(6, 21), near=1)], 1.0), unrelated=0.0)
    [passage] = passages_of(page)
    assert passage.text == "ferry leaves at nine."


def test_touching_chunks_are_read_as_one() -> None:
    found = [chunk("a", 0, (0, 26), near=2), chunk("a", 1, (26, 49), near=1)]
    [(_, page)] = as_pages(fused(found, 1.0), unrelated=0.0)
    [passage] = passages_of(page)
    assert passage.text == CONTENT[:49]


def test_text_without_blanks_stays_cut_where_it_is() -> None:
    content = "語" * 300
    [(_, page)] = as_pages(fused([chunk("a", span=(300, 600), near=1, content=content)], 1.0), unrelated=0.0)
    assert [passage.text for passage in passages_of(page)] == ["語" * 100]


@given(text=st.text(alphabet="ab \n語ß", min_size=1, max_size=200), data=st.data())
def test_every_passage_is_a_slice_of_the_page_hardly_longer_than_its_chunk(
    text: str, data: st.DataObject
) -> None:
    edges = [len(text[:index].encode()) for index in range(len(text) + 1)]
    start = data.draw(st.sampled_from(edges[:-1]))
    end = data.draw(st.sampled_from([edge for edge in edges if edge > start]))
    found = [chunk("a", span=(start, end), near=1, content=text)]
    [(_, page)] = as_pages(fused(found, 1.0), unrelated=0.0)
    [passage] = passages_of(page)
    assert passage.text.encode() == text.encode()[passage.start : passage.end]
    assert start - WORD_BYTES <= passage.start <= start
    assert end <= passage.end <= end + WORD_BYTES


@pytest.mark.parametrize("words", [0.0, 1.0])
def test_nothing_found_ranks_nothing(words: float) -> None:
    assert as_pages(fused([], words), unrelated=0.0) == []
