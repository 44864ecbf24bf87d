"""What every search index does with chunks that are ranked by themselves."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import GenerationChangedError
from app.search.coverage import K1, B, idf
from app.search.embedded import EmbeddedIndex
from app.search.index import SearchIndex
from app.search.types import ChunkCandidate, QuerySpec, Update, collection
from ingest.types import Chunk, EmbeddedPage, PageRef, Vectors
from tests.contracts.conftest import older_too
from tests.contracts.embedded_pages import RECIPE, embedded, ref, remove, unit

pytestmark = older_too

TOWN: Final = frozenset({"town"})
EAST, NORTH = unit(1, 0, 0, 0), unit(0, 1, 0, 0)
VOCABULARY: Final = ("pool", "dog", "tax", "permit", "ferry")

Texts = Sequence[tuple[str, str]]
"""Of each chunk the context and the text."""


@pytest.fixture
def live(index: SearchIndex) -> int:
    """The number of an empty live generation."""
    number = index.create(RECIPE).number
    index.promote(number)
    return number


def ranked(page: PageRef | str, texts: Texts, rows: Sequence[Vectors], sequence: int = 1) -> EmbeddedPage:
    """A page of these chunks, whose content is their texts."""
    content, chunks = "", []
    for position, (context, text) in enumerate(texts):
        start, content = len(content.encode()), content + text
        end = len(content.encode())
        chunk = Chunk(field="content", position=position, start=start, end=end, context=context, text=text)
        chunks.append(replace(chunk, ranked=True))
    made = embedded(page, sequence, content=content, vectors={"content": rows})
    return replace(made, chunks=tuple(chunks))


def write(index: SearchIndex, generation: int, *updates: Update) -> None:
    assert {result.status for result in index.write(generation, updates)} == {"written"}
    index.refresh()


def searched(
    index: SearchIndex,
    *words: str,
    vector: Vectors | None = None,
    limit: int = 10,
    sources: frozenset[str] = TOWN,
) -> list[ChunkCandidate]:
    return index.search_chunks(QuerySpec(words=words, sources=sources, vector=vector), limit)


def places(found: Sequence[ChunkCandidate]) -> set[tuple[str, int]]:
    return {(chunk.page.ref.id, chunk.position) for chunk in found}


def by_words(found: Sequence[ChunkCandidate]) -> list[tuple[str, int]]:
    matching = sorted((chunk for chunk in found if chunk.matching), key=lambda chunk: chunk.matching or 0)
    return [(chunk.page.ref.id, chunk.position) for chunk in matching]


def test_a_chunk_is_found_by_a_word_of_its_context_alone(index: SearchIndex, live: int) -> None:
    texts = [("Of the ferry", "It leaves at nine. "), ("Of the pool", "It opens in May.")]
    write(index, live, ranked("town", texts, [EAST, NORTH]))
    [found] = searched(index, "ferry")
    assert (found.position, found.context, found.matching, found.near) == (0, "Of the ferry", 1, None)
    assert found.page.fields["content"].encode()[found.start : found.end].decode() == "It leaves at nine. "


def test_words_are_those_of_the_chunk_not_of_its_page(index: SearchIndex, live: int) -> None:
    write(index, live, ranked("town", [("", "A ferry. "), ("", "A pool.")], [EAST, NORTH]))
    assert places(searched(index, "pool")) == {("town", 1)}


def test_words_are_found_in_other_forms(index: SearchIndex, live: int) -> None:
    write(index, live, ranked("town", [("", "Two ferries leave.")], [EAST]))
    assert places(searched(index, "ferry")) == {("town", 0)}


def test_the_nearest_chunks_come_with_rank_and_exact_cosine(index: SearchIndex, live: int) -> None:
    rows = [EAST, unit(2, 1, 0, 0), NORTH]
    write(index, live, ranked("town", [("", "a "), ("", "b "), ("", "c ")], rows))
    found = sorted(searched(index, vector=EAST, limit=2), key=lambda chunk: chunk.near or 0)
    assert [(chunk.position, chunk.near) for chunk in found] == [(0, 1), (1, 2)]
    assert [chunk.cosine for chunk in found] == pytest.approx([1, 2 / math.sqrt(5)], abs=1e-5)


def test_a_chunk_that_both_searches_find_comes_once(index: SearchIndex, live: int) -> None:
    write(index, live, ranked("town", [("", "A ferry.")], [EAST]))
    [found] = searched(index, "ferry", vector=EAST)
    assert (found.near, found.matching) == (1, 1)


def test_a_page_may_have_more_chunks_than_a_search_for_pages_returns(index: SearchIndex, live: int) -> None:
    texts = [("", f"ferry {number} ") for number in range(30)]
    write(index, live, ranked("long", texts, [EAST] * 30), ranked("short", [("", "pool")], [NORTH]))
    assert len(searched(index, "ferry", vector=EAST, limit=25)) == 25


def test_chunks_that_are_not_ranked_are_found_by_meaning_alone(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("plain", content="A ferry.", vectors={"content": [EAST]}))
    assert places(searched(index, vector=EAST)) == {("plain", 0)}
    assert searched(index, "ferry") == []


def test_a_page_that_is_written_again_has_its_new_words_alone(index: SearchIndex, live: int) -> None:
    write(index, live, ranked("town", [("", "A ferry. "), ("", "A pool.")], [EAST, NORTH]))
    assert searched(index, "ferry", vector=EAST)
    write(index, live, ranked("town", [("", "A dog.")], [NORTH], sequence=2))
    assert searched(index, "ferry") == []
    assert places(searched(index, "dog", vector=NORTH)) == {("town", 0)}
    write(index, live, remove("town", 3))
    assert searched(index, "dog", vector=NORTH) == []


def test_a_page_that_is_no_longer_ranked_loses_its_words(index: SearchIndex, live: int) -> None:
    write(index, live, ranked("town", [("", "A ferry.")], [EAST]))
    write(index, live, embedded("town", 2, content="A ferry.", vectors={"content": [EAST]}))
    assert searched(index, "ferry") == []


def test_only_what_is_in_scope_is_found(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        ranked("here", [("", "A ferry.")], [EAST]),
        ranked(ref("there", source="lake"), [("", "A ferry.")], [EAST]),
    )
    assert places(searched(index, "ferry", vector=EAST)) == {("here", 0)}
    assert places(searched(index, "ferry", vector=EAST, sources=frozenset({"lake"}))) == {("there", 0)}
    assert searched(index, "ferry", vector=EAST, sources=frozenset()) == []
    hidden = QuerySpec(
        words=("ferry",), sources=TOWN, vector=EAST, without=frozenset({collection("town", "here", "page")})
    )
    assert index.search_chunks(hidden, 10) == []


def test_nothing_is_found_in_an_empty_index_or_for_nothing(index: SearchIndex, live: int) -> None:
    assert searched(index, "ferry", vector=EAST) == []
    write(index, live, ranked("town", [("", "A ferry.")], [EAST]))
    assert searched(index) == []


def test_a_generation_that_is_live_no_longer_says_so(index: SearchIndex, live: int) -> None:
    index.promote(index.create(RECIPE).number)
    with pytest.raises(GenerationChangedError):
        index.search_chunks(QuerySpec(words=("ferry",), sources=TOWN, vector=EAST, generation=live), 10)


def test_both_lists_equal_brute_force(index: SearchIndex) -> None:
    words = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6)
    corner = st.tuples(*[st.integers(-1, 1)] * 4).filter(any)
    pages = st.lists(st.lists(st.tuples(words, corner), min_size=1, max_size=5), min_size=1, max_size=6)

    @settings(max_examples=30 if isinstance(index, EmbeddedIndex) else 8)
    @given(pages=pages, asked=st.sets(st.sampled_from(VOCABULARY), min_size=1, max_size=3), query=corner)
    def check(
        pages: list[list[tuple[list[str], tuple[int, ...]]]], asked: set[str], query: tuple[int, ...]
    ) -> None:
        number = index.create(RECIPE).number
        index.promote(number)
        for generation in index.generations()[:-1]:
            index.drop(generation.number)
        updates = [
            ranked(
                str(page),
                [("", " ".join(text) + " ") for text, _ in chunks],
                [unit(*row) for _, row in chunks],
            )
            for page, chunks in enumerate(pages)
        ]
        write(index, number, *updates)
        found = searched(index, *sorted(asked), vector=unit(*query), limit=12)

        texts = {(str(p), c): text for p, chunks in enumerate(pages) for c, (text, _) in enumerate(chunks)}
        cosines = {
            (str(p), c): float(np.dot(unit(*row), unit(*query)))
            for p, chunks in enumerate(pages)
            for c, (_, row) in enumerate(chunks)
        }
        near = {(each.page.ref.id, each.position): each.cosine or 0.0 for each in found if each.near}
        assert near == pytest.approx({place: cosines[place] for place in near}, abs=1e-5)
        assert sorted(near.values()) == pytest.approx(sorted(cosines.values())[-12:], abs=1e-5)
        scores = bm25(texts, asked)
        got = by_words(found)
        assert len(got) == min(12, sum(score > 0 for score in scores.values()))
        # A server stores lengths in one byte, exact up to forty tokens.
        assert [scores[place] for place in got] == pytest.approx(
            sorted(scores.values(), reverse=True)[: len(got)], rel=1e-4
        )

    check()


def bm25(texts: dict[tuple[str, int], list[str]], asked: set[str]) -> dict[tuple[str, int], float]:
    """The score of every chunk."""
    average = sum(map(len, texts.values())) / len(texts)
    frequencies = {word: sum(word in text for text in texts.values()) for word in asked}
    return {
        place: sum(
            idf(len(texts), frequencies[word])
            * text.count(word)
            / (text.count(word) + K1 * (1 - B + B * len(text) / average))
            for word in asked
        )
        for place, text in texts.items()
    }
