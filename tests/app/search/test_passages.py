"""Expansion: passages are slices of the field, by offsets, merged and never repeating."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.presets import Thresholds
from app.search.passages import around_hits, best_chunk, expanded, nearest_chunks, whole_page
from app.search.types import Candidate, ChunkHit, IndexedPage
from ingest.chunkers.windows import core_spans
from ingest.types import FieldName, PageRef

THRESHOLDS = Thresholds(base=0.7, name=0.9, title=0.9, description=0.9, keywords=0.9, content=0.8)


def indexed(content: str, description: str = "") -> IndexedPage:
    """A page with this content, cut into windows."""
    fields: dict[FieldName, str] = {"description": description, "content": content}
    return IndexedPage(
        ref=PageRef(source="town", id="page", language="de"),
        document="page",
        sequence=1,
        url="https://town.example/",
        kind="page",
        updated=None,
        fields={name: text for name, text in fields.items() if text},
        content_spans=tuple(core_spans(content.encode())),
    )


def candidate(page: IndexedPage, *hits: tuple[int, float]) -> Candidate:
    """The page with content hits of (position, cosine)."""
    chunks = tuple(
        ChunkHit(position=p, start=page.content_spans[p][0], end=page.content_spans[p][1], cosine=cosine)
        for p, cosine in hits
    )
    return Candidate(
        page=page,
        chunks={"content": chunks} if chunks else {},
        near_fields=frozenset(),
        keyword=False,
        coverage=0.0,
    )


@given(
    st.text(alphabet="aä€😀 \n", min_size=1, max_size=4_000),
    st.lists(st.integers(0, 30), min_size=1, max_size=3, unique=True),
    st.integers(0, 3),
)
def test_every_expansion_is_the_union_of_the_neighbouring_cores_and_never_repeats(
    text: str, wanted: list[int], neighbours: int
) -> None:
    spans = core_spans(text.encode())
    positions = [position % len(spans) for position in wanted]
    covered = {n for p in positions for n in range(p - neighbours, p + neighbours + 1) if 0 <= n < len(spans)}
    merged = expanded(spans, positions, neighbours)
    assert sum(end - start for start, end in merged) == sum(spans[n][1] - spans[n][0] for n in covered)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(merged))


@given(st.text(alphabet="aä€😀 \n", min_size=1_200, max_size=3_000), st.integers(0, 20))
def test_a_passage_is_the_slice_of_the_field_at_its_offsets(text: str, wanted: int) -> None:
    page = indexed(text)
    for passage in around_hits(candidate(page, (wanted % len(page.content_spans), 0.9)), THRESHOLDS, 2):
        assert passage.text.encode() == text.encode()[passage.start : passage.end]


def test_hits_below_the_threshold_are_not_expanded() -> None:
    page = indexed("x" * 512 * 12)
    passages = around_hits(candidate(page, (1, 0.9), (10, 0.79)), THRESHOLDS, 2)
    assert [(p.start, p.end) for p in passages] == [(0, 4 * 512)]


def test_a_page_without_content_hit_gives_its_description_and_its_best_content_chunk() -> None:
    page = indexed("x" * 512 * 12, description="About")
    passages = around_hits(candidate(page, (10, 0.79)), THRESHOLDS, 1)
    assert [(p.field, p.start, p.end) for p in passages] == [
        ("description", 0, 5),
        ("content", 10 * 512, 11 * 512),
    ]


def test_the_whole_page_is_every_non_empty_field() -> None:
    page = indexed("Content", description="About")
    assert [(p.field, p.text) for p in whole_page(page)] == [("description", "About"), ("content", "Content")]


def test_the_nearest_chunks_are_as_many_as_fit_in_the_order_of_the_text() -> None:
    page = indexed("a" * 512 + "b" * 512 + "c" * 512 + "d" * 512)
    found = candidate(page, (3, 0.9), (0, 0.85), (2, 0.8))
    assert [passage.text[0] for passage in nearest_chunks(found, 1_024)] == ["a", "d"]
    assert [passage.text[0] for passage in nearest_chunks(found, 10)] == ["d"]
    joined = nearest_chunks(candidate(page, (2, 0.9), (1, 0.8)), 1_024)
    assert [(passage.start, passage.end) for passage in joined] == [(512, 1_536)]


def test_where_no_vector_says_which_chunks_are_near_the_first_ones_are_taken() -> None:
    [first] = nearest_chunks(candidate(indexed("a" * 512 + "b" * 512 + "c" * 512)), 1_100)
    assert (first.start, first.end) == (0, 1_024)
    without_content = replace(indexed("x"), fields={"description": "A pool."}, content_spans=())
    [only] = nearest_chunks(candidate(without_content), 1_100)
    assert (only.field, only.text) == ("description", "A pool.")


@pytest.mark.parametrize(
    ("most_bytes", "spans"),
    [
        (None, [(0, 4), (8, 13)]),
        (9, [(0, 4), (8, 13)]),
        (8, [(0, 3), (9, 12)]),
        (5, [(1, 2), (10, 11)]),
        (1, [(1, 2)]),
        (0.5, [(1, 2)]),
    ],
)
def test_a_page_with_more_than_its_bytes_is_read_in_fewer_neighbours_and_then_in_fewer_chunks(
    most_bytes: float | None, spans: list[tuple[int, int]]
) -> None:
    found = candidate(indexed("x" * 512 * 13), (1, 0.9), (10, 0.85))
    limit = None if most_bytes is None else int(most_bytes * 512)
    passages = around_hits(found, THRESHOLDS, 2, limit)
    assert [(passage.start / 512, passage.end / 512) for passage in passages] == spans


def beside(description: str, content: str, cosine: float | None) -> Candidate:
    """A page whose content and, where a cosine is given, description are near the question."""
    found = candidate(indexed(content, description), (0, 0.9))
    if cosine is None:
        return found
    hit = ChunkHit(position=0, start=0, end=len(description.encode()), cosine=cosine)
    return replace(found, chunks={**found.chunks, "description": (hit,)})


@pytest.mark.parametrize(("cosine", "fields"), [(0.95, ["description", "content"]), (0.85, ["content"])])
def test_a_field_beside_the_content_is_read_if_it_matched(cosine: float, fields: list[str]) -> None:
    found = beside("It costs 70 euros.", "A fee is charged.", cosine)
    assert [passage.field for passage in around_hits(found, THRESHOLDS, 2)] == fields


def test_a_field_that_was_not_searched_is_read_up_to_as_many_chunks_as_the_content() -> None:
    found = beside("x" * 5_000, "A fee is charged.", None)
    description, content = around_hits(found, THRESHOLDS, 2, searched={"content"})
    assert (description.start, description.end, content.field) == (0, 3 * 512, "content")


def test_a_description_that_the_content_repeats_is_read_once() -> None:
    content = "A fee of **70 euros** is charged. Bring a photo."
    for description in (content, "A fee of 70 euros is charged …"):
        found = beside(description, content, 0.95)
        assert [passage.text for passage in around_hits(found, THRESHOLDS, 2)] == [content]
        assert [passage.text for passage in whole_page(found.page)] == [content]
        assert [passage.text for passage in best_chunk(found)] == [content]
