"""What every search index does, whatever it is made of; ``index`` is each implementation in turn."""

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import GenerationChangedError, InputError, NotFoundError
from app.presets import KeywordMode
from app.search.embedded import EmbeddedIndex
from app.search.index import HITS_PER_PAGE, SearchIndex
from app.search.types import Candidate, GenerationRecipe, QuerySpec, Update, collection, collection_of
from ingest.types import EmbeddedPage, FieldName, Vectors
from tests.contracts.embedded_pages import DIMS, RECIPE, embedded, ref, remove, unit

TOWN: Final = frozenset({"town"})
EAST: Final = unit(1, 0, 0, 0)
NORTH: Final = unit(0, 1, 0, 0)


@pytest.fixture
def live(index: SearchIndex) -> int:
    """The number of an empty live generation."""
    number = index.create(RECIPE).number
    index.promote(number)
    return number


def near(
    index: SearchIndex,
    vector: Vectors,
    k: int = 10,
    field: FieldName = "content",
    sources: frozenset[str] = TOWN,
) -> dict[str, Candidate]:
    """The candidates of one kNN clause by page id."""
    found = index.search(QuerySpec(words=(), sources=sources, vector=vector, k={field: k}, keyword="none"))
    return {candidate.page.ref.id: candidate for candidate in found}


def having(
    index: SearchIndex,
    *words: str,
    mode: KeywordMode = "any",
    sources: frozenset[str] = TOWN,
    limit: int = 20,
) -> dict[str, Candidate]:
    """The candidates of the keyword clause by page id."""
    found = index.search(QuerySpec(words=words, sources=sources, keyword=mode, keyword_limit=limit))
    return {candidate.page.ref.id: candidate for candidate in found}


def write(index: SearchIndex, generation: int, *updates: Update) -> list[str]:
    """Write them, make them found, and give the statuses."""
    results = index.write(generation, updates)
    index.refresh()
    return [result.status for result in results]


# Sequences


def test_a_lower_sequence_changes_nothing_and_is_superseded(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", 5, content="Opens in May.", vectors={"content": [EAST]}))
    assert write(index, live, embedded("pool", 4, content="Stale.", vectors={"content": [NORTH]})) == [
        "superseded"
    ]
    [page] = index.pages([ref("pool")])
    assert (page.sequence, page.fields["content"]) == (5, "Opens in May.")
    assert near(index, EAST)["pool"].similarity["content"] == pytest.approx(1)


def test_an_equal_sequence_is_written_again(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", 5, content="First."))
    assert write(index, live, embedded("pool", 5, content="Replayed.")) == ["written"]
    assert index.pages([ref("pool")])[0].fields["content"] == "Replayed."


def test_a_removed_page_is_gone_and_a_stale_write_does_not_bring_it_back(
    index: SearchIndex, live: int
) -> None:
    write(index, live, embedded("pool", 1, content="Swimming", vectors={"content": [EAST]}))
    assert write(index, live, remove("pool", 3), embedded("pool", 2, content="Swimming")) == [
        "written",
        "superseded",
    ]
    assert index.pages([ref("pool")]) == []
    assert list(index.refs(live)) == []
    assert near(index, EAST) == {}
    assert having(index, "swimming") == {}


def test_a_stale_removal_is_superseded(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", 5, content="Swimming"))
    assert write(index, live, remove("pool", 4)) == ["superseded"]
    assert list(index.refs(live)) == [(ref("pool"), 5)]


def test_a_removal_of_an_unknown_page_is_remembered(index: SearchIndex, live: int) -> None:
    assert write(index, live, remove("pool", 7)) == ["written"]
    assert write(index, live, embedded("pool", 6, content="Late")) == ["superseded"]


def test_a_removed_page_returns_with_a_higher_sequence(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", 1, content="Old"), remove("pool", 2))
    write(index, live, embedded("pool", 3, content="Swimming", vectors={"content": [EAST]}))
    assert list(index.refs(live)) == [(ref("pool"), 3)]
    assert set(near(index, EAST)) == set(having(index, "swimming")) == {"pool"}


def test_several_updates_of_one_page_in_a_batch_apply_in_order(index: SearchIndex, live: int) -> None:
    updates = [
        embedded("pool", 2, content="Two"),
        embedded("pool", 1, content="One"),
        embedded("pool", 3, content="Three"),
    ]
    assert write(index, live, *updates) == ["written", "superseded", "written"]
    assert index.pages([ref("pool")])[0].fields == {"content": "Three"}


def test_results_name_page_and_sequence_in_order(index: SearchIndex, live: int) -> None:
    results = index.write(live, [embedded("b", 2, content="B"), remove("a", 4)])
    assert [(result.ref, result.sequence) for result in results] == [(ref("b"), 2), (ref("a"), 4)]


# Pages


def test_a_page_comes_back_as_it_went_in(index: SearchIndex, live: int) -> None:
    given_page = embedded("pool", 3, name="n", title="Ä„", description="𝄞", keywords="k", content="a\n\nb")
    updated = datetime(2026, 3, 1, 12, 30, 0, 250_000, timezone(timedelta(hours=2)))
    page = replace(given_page.page, document="doc", url="https://x/ü", kind="article", updated=updated)
    write(index, live, replace(given_page, page=page))
    [found] = index.pages([ref("pool")])
    assert (found.ref, found.document, found.sequence, found.url) == (ref("pool"), "doc", 3, "https://x/ü")
    assert (found.kind, found.updated, found.fields) == ("article", updated, given_page.page.fields)
    assert found.metadata == {}


def test_a_page_keeps_its_metadata_as_it_was_given_and_is_not_found_by_it(
    index: SearchIndex, live: int
) -> None:
    metadata = {"celex": "32024R1689", "references": '["art_6", "Swimming"]', "a.b": "{", "": "𝄞\n", "x": ""}
    pool = embedded("pool", 3, content="Skating", vectors={"content": [EAST]})
    write(index, live, replace(pool, page=replace(pool.page, metadata=metadata)))
    assert index.pages([ref("pool")])[0].metadata == metadata
    assert near(index, EAST)["pool"].page.metadata == metadata
    assert having(index, "swimming", "celex", "32024r1689") == {}
    write(index, live, embedded("pool", 4, content="Skating"))
    assert index.pages([ref("pool")])[0].metadata == {}


def test_pages_come_in_the_order_asked_for_and_unknown_ones_are_left_out(
    index: SearchIndex, live: int
) -> None:
    write(index, live, *(embedded(page_id, content=page_id) for page_id in "abc"))
    found = index.pages([ref("c"), ref("unknown"), ref("a")])
    assert [page.ref.id for page in found] == ["c", "a"]


def test_the_same_id_in_another_language_or_source_is_another_page(index: SearchIndex, live: int) -> None:
    refs = [ref("pool"), ref("pool", language="de"), ref("pool", source="county")]
    write(index, live, *(embedded(page, content="Swimming") for page in refs))
    write(index, live, remove(refs[1], 2))
    assert sorted(page for page, _ in index.refs(live)) == sorted([refs[0], refs[2]])


def test_a_rewritten_page_keeps_nothing_of_its_old_version(index: SearchIndex, live: int) -> None:
    old = embedded(
        "pool", 1, content="Swimming", title="Bath", vectors={"content": [EAST] * 5, "title": [EAST]}
    )
    write(index, live, old, embedded("pool", 2, content="Skating", vectors={"content": [NORTH]}))
    assert near(index, EAST, field="title") == {}
    assert [hit.position for hit in near(index, EAST)["pool"].chunks["content"]] == [0]
    assert near(index, EAST)["pool"].similarity["content"] == pytest.approx(0, abs=1e-6)
    assert having(index, "swimming", "bath") == {}
    assert set(having(index, "skating")) == {"pool"}


def test_a_page_without_chunks_is_found_by_its_words(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", content="Swimming"))
    found = index.search(QuerySpec(words=("swimming",), sources=TOWN, vector=EAST, k={"content": 1}))
    assert [(c.page.ref.id, c.keyword, c.chunks) for c in found] == [("pool", True, {})]


# Nearest pages


def test_k_counts_pages_however_many_chunks_a_page_has(index: SearchIndex, live: int) -> None:
    crowd = embedded("crowd", content="x" * 4000, vectors={"content": [EAST] * 2000})
    others = [embedded(f"p{i}", vectors={"content": [unit(1, i + 1, 0, 0)]}) for i in range(5)]
    write(index, live, crowd, *others)
    assert list(near(index, EAST, k=1)) == ["crowd"]
    assert set(near(index, EAST, k=4)) == {"crowd", "p0", "p1", "p2"}
    assert len(near(index, EAST, k=100)) == 6


def test_a_page_has_its_best_chunks_with_their_offsets_best_first(index: SearchIndex, live: int) -> None:
    away = [(5 * position) % 12 for position in range(12)]
    rows = [unit(1, distance, 0, 0) for distance in away]
    write(index, live, embedded("pool", content="abc" * 12, vectors={"content": rows}))
    hits = near(index, EAST)["pool"].chunks["content"]
    nearest = sorted(range(12), key=lambda position: away[position])[:HITS_PER_PAGE]
    assert [(hit.position, hit.start, hit.end) for hit in hits] == [
        (position, 3 * position, 3 * position + 3) for position in nearest
    ]
    cosines = [(1 + away[position] ** 2) ** -0.5 for position in nearest]
    assert [hit.cosine for hit in hits] == pytest.approx(cosines, abs=1e-6)


def test_a_candidate_has_the_best_chunks_of_every_field_whichever_clause_returned_it(
    index: SearchIndex, live: int
) -> None:
    write(
        index,
        live,
        embedded("a", vectors={"title": [EAST], "content": [unit(0, 4, 3, 0), unit(3, 4, 0, 0)]}),
        embedded("b", vectors={"title": [unit(4, 3, 0, 0)], "content": [EAST], "name": [EAST]}),
        embedded("c", content="A licence", vectors={"content": [unit(-4, 3, 0, 0)]}),
        embedded("d", vectors={"content": [NORTH]}),
    )
    found = index.search(
        QuerySpec(words=("licence",), sources=TOWN, vector=EAST, k={"title": 1, "content": 1})
    )
    assert fields(found) == {"a": "content title, title", "b": "content title, content", "c": "content, "}
    assert [candidate.page.ref.id for candidate in found if candidate.keyword] == ["c"]
    cosines = {candidate.page.ref.id: candidate.similarity for candidate in found}
    assert cosines["a"] == pytest.approx({"title": 1.0, "content": 0.6}, abs=1e-6)
    assert cosines["b"] == pytest.approx({"title": 0.8, "content": 1.0}, abs=1e-6)
    assert cosines["c"] == pytest.approx({"content": -0.8}, abs=1e-6)
    [a] = [candidate for candidate in found if candidate.page.ref.id == "a"]
    assert [hit.position for hit in a.chunks["content"]] == [1, 0]


def test_without_a_vector_or_k_no_nearest_page_comes(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", vectors={"content": [EAST]}))
    assert index.search(QuerySpec(words=(), sources=TOWN, vector=EAST, keyword="none")) == []
    assert index.search(QuerySpec(words=(), sources=TOWN, k={"content": 3}, keyword="none")) == []


def test_the_length_of_a_vector_does_not_matter(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", vectors={"content": [[3, 4, 0, 0], [1e-30, 0, 0, 0]]}))
    hits = near(index, 5 * EAST)["pool"].chunks["content"]
    assert [hit.cosine for hit in hits] == pytest.approx([1, 0.6])


def test_a_field_returns_no_page_below_its_least_cosine(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded("near", vectors={"content": [unit(2, 1, 0, 0)], "title": [NORTH]}),
        embedded("far", vectors={"content": [unit(1, 2, 0, 0)], "title": [EAST]}),
    )
    spec = QuerySpec(
        words=(),
        sources=TOWN,
        vector=EAST,
        k={"content": 5, "title": 5},
        keyword="none",
        similarity={"content": 0.7},
    )
    assert fields(index.search(spec)) == {"near": "content title, content title", "far": "title, title"}
    one = replace(spec, k={"content": 1, "title": 1})
    assert fields(index.search(one)) == {"near": "content title, content", "far": "title, title"}


def fields(candidates: Iterable[Candidate]) -> dict[str, str]:
    """The fields that each page has chunks in, and those whose clause returned it."""
    return {
        candidate.page.ref.id: ", ".join(
            " ".join(sorted(x)) for x in (candidate.chunks, candidate.near_fields)
        )
        for candidate in candidates
    }


@pytest.mark.parametrize(
    "wrong", [unit(1, 0, 0), np.zeros(DIMS, np.float32), unit(1, 0, 0, 0) * np.float32("nan")]
)
def test_a_question_without_a_cosine_is_refused(index: SearchIndex, live: int, wrong: Vectors) -> None:
    write(index, live, embedded("pool", vectors={"content": [EAST]}))
    with pytest.raises(InputError):
        near(index, wrong)


Corner = st.tuples(*[st.integers(-3, 3)] * DIMS).filter(any)


def test_cosines_and_pages_equal_brute_force(index: SearchIndex) -> None:
    @examples(25, index)
    @given(
        pages=st.lists(st.lists(Corner, min_size=1, max_size=6), min_size=1, max_size=12),
        query=Corner,
        k=st.integers(1, 14),
        rewritten=st.integers(0, 11),
    )
    def check(pages: list[list[tuple[int, ...]]], query: tuple[int, ...], k: int, rewritten: int) -> None:
        number = index.create(RECIPE).number
        index.promote(number)
        for generation in index.generations()[:-1]:
            index.drop(generation.number)
        write(
            index, number, *(embedded(str(i), 1, vectors={"content": rows}) for i, rows in enumerate(pages))
        )
        near(index, unit(*query))
        pages[rewritten % len(pages)] = [tuple(-x for x in row) for row in pages[0]][::-1]
        again = rewritten % len(pages)
        write(index, number, embedded(str(again), 2, vectors={"content": pages[again]}))

        cosines = {
            str(i): sorted((_cosine(row, query) for row in rows), reverse=True)
            for i, rows in enumerate(pages)
        }
        found = near(index, unit(*query), k)
        assert len(found) == min(k, len(pages))
        for page_id, candidate in found.items():
            hits = [hit.cosine for hit in candidate.chunks["content"]]
            assert hits == pytest.approx(cosines[page_id][:HITS_PER_PAGE], abs=1e-5)
        best = sorted((values[0] for values in cosines.values()), reverse=True)[:k]
        assert sorted((c.similarity["content"] for c in found.values()), reverse=True) == pytest.approx(
            best, abs=1e-5
        )

    check()


def examples(count: int, index: SearchIndex) -> settings:
    """So many on the embedded index; fewer on a server, where each makes an index and drops it."""
    return settings(max_examples=count if isinstance(index, EmbeddedIndex) else count // 4)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


# One page, whatever a search returns


def test_one_page_is_weighed_as_a_search_that_returns_it_weighs_it(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded("pool", title="Pool", content="Tickets cost four euros", vectors={"content": [EAST, NORTH]}),
        embedded("tax", content="The dog tax", vectors={"content": [unit(3, 4, 0, 0)], "title": [EAST]}),
    )
    spec = QuerySpec(
        words=("tickets", "tax"), sources=TOWN, vector=EAST, k={"content": 5, "title": 5}, generation=live
    )
    found = {candidate.page.ref.id: candidate for candidate in index.search(spec)}
    assert len(found) == 2
    for page_id, candidate in found.items():
        assert index.candidate(ref(page_id), spec) == candidate


def test_a_page_that_no_clause_returns_and_no_scope_holds_is_weighed_all_the_same(
    index: SearchIndex, live: int
) -> None:
    write(
        index,
        live,
        embedded("near", content="other", vectors={"content": [EAST]}),
        embedded("far", content="words", vectors={"content": [unit(3, 4, 0, 0), NORTH]}),
    )
    spec = QuerySpec(
        words=("words",),
        sources=frozenset(),
        vector=EAST,
        k={"content": 1, "title": 1},
        similarity={"content": 0.9},
        without=frozenset({collection("town", "far", "page")}),
    )
    assert index.search(spec) == []
    candidate = index.candidate(ref("far"), spec)
    assert candidate is not None
    assert candidate.similarity == pytest.approx({"content": 0.6}, abs=1e-6)
    assert [hit.position for hit in candidate.chunks["content"]] == [0, 1]
    assert (candidate.near_fields, candidate.keyword) == (frozenset({"content"}), True)
    assert candidate.coverage == pytest.approx(having(index, "words")["far"].coverage)


def test_a_page_without_vectors_and_words_of_the_question_is_weighed_and_a_removed_one_is_not(
    index: SearchIndex, live: int
) -> None:
    write(index, live, embedded("bare", content="nothing"), embedded("gone", vectors={"content": [EAST]}))
    write(index, live, remove("gone", 2))
    spec = QuerySpec(words=("words",), sources=TOWN, vector=EAST, k={"content": 3}, generation=live)
    bare = index.candidate(ref("bare"), spec)
    assert bare is not None
    assert (dict(bare.chunks), bare.near_fields, bare.keyword, bare.coverage) == ({}, frozenset(), False, 0.0)
    assert index.candidate(ref("gone"), spec) is None
    assert index.candidate(ref("unknown"), spec) is None


def test_a_page_that_is_not_in_the_index_is_weighed_as_it_would_be_in_it(
    index: SearchIndex, live: int
) -> None:
    draft = embedded(
        "draft",
        title="Fees",
        content="Tickets cost four euros",
        vectors={"content": [EAST, unit(3, 4, 0, 0)]},
    )
    write(
        index, live, draft, embedded("other", content="Tickets and the dog tax", vectors={"content": [NORTH]})
    )
    spec = QuerySpec(
        words=("tickets", "tax"), sources=TOWN, vector=5 * EAST, k={"content": 5, "title": 5}, generation=live
    )
    expected = index.candidate(ref("draft"), spec)
    found = index.candidate(draft, spec)
    assert expected is not None
    assert found is not None
    assert (found.page, found.near_fields, found.keyword) == (
        expected.page,
        expected.near_fields,
        expected.keyword,
    )
    assert found.coverage == pytest.approx(expected.coverage)
    assert found.similarity == pytest.approx(expected.similarity, abs=1e-6)
    assert [hit.position for hit in found.chunks["content"]] == [0, 1]


def test_nothing_of_a_page_that_is_only_weighed_is_kept(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("other", content="words", vectors={"content": [NORTH]}))
    spec = QuerySpec(words=("draft",), sources=TOWN, vector=EAST, k={"content": 5}, generation=live)
    assert index.candidate(embedded("draft", content="draft", vectors={"content": [EAST]}), spec)
    index.refresh()
    assert [candidate.page.ref.id for candidate in index.search(spec)] == ["other"]
    assert counted(index, "draft") == [0]
    assert index.pages([ref("draft")]) == []


# Cosines of given pages


def test_the_cosine_of_each_page_is_that_of_its_best_chunk_of_content(index: SearchIndex, live: int) -> None:
    rows = [unit(1, distance, 0, 0) for distance in (3, 0, 9)]
    write(
        index,
        live,
        embedded("best", vectors={"content": [*rows, *[NORTH] * 12], "title": [NORTH]}),
        embedded("away", vectors={"content": [unit(-4, 3, 0, 0)], "title": [EAST]}),
        embedded("beside", vectors={"content": [EAST]}),
    )
    found = index.cosines([ref("away"), ref("best")], 5 * EAST, live)
    assert found == pytest.approx({ref("best"): 1.0, ref("away"): -0.8}, abs=1e-6)


def test_pages_without_vectors_of_their_content_have_no_cosine(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded("words", content="Swimming"),
        embedded("title", vectors={"title": [EAST]}),
        embedded("gone", vectors={"content": [EAST]}),
        embedded(ref("pool", language="de"), vectors={"content": [EAST]}),
    )
    write(index, live, remove("gone", 2))
    unknown = [ref("words"), ref("title"), ref("gone"), ref("unknown"), ref("pool")]
    assert index.cosines(unknown, EAST, live) == {}
    assert index.cosines([], EAST, live) == {}


def test_cosines_follow_what_is_written(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", 1, vectors={"content": [EAST]}))
    assert index.cosines([ref("pool")], EAST, live) == pytest.approx({ref("pool"): 1.0})
    write(index, live, embedded("pool", 2, vectors={"content": [NORTH]}))
    assert index.cosines([ref("pool")], EAST, live) == pytest.approx({ref("pool"): 0.0}, abs=1e-6)


def test_cosines_are_those_that_a_search_gives(index: SearchIndex, live: int) -> None:
    pages = [embedded(f"p{n}", vectors={"content": [unit(1, n, 2, 0), unit(n, 1, 0, 1)]}) for n in range(30)]
    write(index, live, *pages)
    searched = {found.page.ref: found.similarity["content"] for found in near(index, EAST, k=30).values()}
    assert index.cosines(list(searched), EAST, live) == pytest.approx(searched, abs=1e-6)


def test_cosines_with_a_vector_of_another_generation_are_refused(index: SearchIndex, live: int) -> None:
    write(index, live, embedded("pool", vectors={"content": [EAST]}))
    other = index.create(RECIPE).number
    index.promote(other)
    with pytest.raises(GenerationChangedError):
        index.cosines([ref("pool")], EAST, live)
    with pytest.raises(InputError):
        index.cosines([ref("pool")], unit(1, 0), other)


# Scope


def test_the_scope_filters_every_clause(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded(ref("a"), title="Swimming", vectors={"content": [NORTH]}),
        embedded(ref("b", source="county"), title="Swimming", vectors={"content": [EAST]}),
    )
    for sources, expected in ((TOWN, {"a"}), (frozenset({"county"}), {"b"}), (TOWN | {"county"}, {"a", "b"})):
        assert set(near(index, EAST, sources=sources)) == expected
        assert set(near(index, EAST, k=1, sources=sources)) == expected & set(
            near(index, EAST, 1, sources=sources)
        )
        assert set(having(index, "swimming", sources=sources)) == expected
        assert set(having(index, "swimming", mode="all", sources=sources)) == expected


def test_pages_outside_the_scope_do_not_count_among_k(index: SearchIndex, live: int) -> None:
    foreign = [
        embedded(ref(f"f{i}", source="county"), vectors={"content": [EAST]}, title="Swim") for i in range(50)
    ]
    write(index, live, *foreign, embedded("own", title="Swim", vectors={"content": [unit(-1, 1, 0, 0)]}))
    assert list(near(index, EAST, k=1)) == ["own"]
    assert list(having(index, "swim", limit=1)) == ["own"]


@pytest.mark.parametrize("sources", [frozenset(), frozenset({"unknown"})])
def test_an_empty_or_unknown_scope_finds_nothing(
    index: SearchIndex, live: int, sources: frozenset[str]
) -> None:
    write(index, live, embedded("pool", title="Swimming", vectors={"content": [EAST]}))
    assert near(index, EAST, sources=sources) == having(index, "swimming", sources=sources) == {}


# Collections


def act(version: str, unit_id: str, kind: str, **given: Any) -> EmbeddedPage:
    """A unit of one version of an act."""
    made = embedded(f"{version}/{unit_id}", **given)
    return replace(made, page=replace(made.page, document=version, kind=kind))


OLD_ARTICLES: Final = "town:old#article"


@pytest.fixture
def acts_live(index: SearchIndex, live: int) -> int:
    """An act in two versions, of which the newer one has no recitals; the older is the nearer one."""
    near_ones = {"content": [EAST]}
    far = {"content": [unit(1, 1, 0, 0)]}
    write(
        index,
        live,
        *(act("old", f"art_{i}", "article", content="Dog licence", vectors=near_ones) for i in range(30)),
        act("old", "rct_1", "recital", content="Dog", vectors=far),
        act("new", "art_1", "article", content="A dog among other words", vectors=far),
    )
    return live


def test_no_clause_returns_or_counts_pages_of_excluded_collections(
    index: SearchIndex, acts_live: int
) -> None:
    spec = QuerySpec(
        words=("dog", "licence"), sources=TOWN, vector=EAST, k={"content": 2, "title": 2}, keyword_limit=2
    )
    assert {candidate.page.document for candidate in index.search(spec)} == {"old"}
    found = index.search(replace(spec, without=frozenset({OLD_ARTICLES, "town:unknown#article"})))
    assert {(c.page.ref.id, c.keyword, len(c.chunks)) for c in found} == {
        ("old/rct_1", True, 1),
        ("new/art_1", True, 1),
    }


def test_only_pages_of_the_collections_within_are_returned(index: SearchIndex, acts_live: int) -> None:
    spec = QuerySpec(words=("dog",), sources=TOWN, vector=EAST, k={"content": 1}, keyword_limit=1)
    for within, expected in (
        ({"town:old#recital"}, {"old/rct_1"}),
        ({"town:new#article", "town:unknown#article"}, {"new/art_1"}),
        ({"town:unknown#article"}, set()),
        (set(), set()),
    ):
        found = index.search(replace(spec, within=frozenset(within)))
        assert {candidate.page.ref.id for candidate in found} == expected
    both = replace(spec, within=frozenset({OLD_ARTICLES}), without=frozenset({OLD_ARTICLES}))
    assert index.search(both) == []


def test_a_page_that_changes_its_collection_is_excluded_with_the_new_one(
    index: SearchIndex, acts_live: int
) -> None:
    moved = act("new", "art_1", "annex", sequence=2, content="Dog", vectors={"content": [EAST]})
    write(index, acts_live, moved)
    spec = QuerySpec(words=("dog",), sources=TOWN, vector=EAST, k={"content": 9})
    assert index.search(replace(spec, within=frozenset({"town:new#article"}))) == []
    [found] = index.search(replace(spec, within=frozenset({collection_of(moved.page)})))
    assert (found.page.ref.id, collection_of(found.page)) == ("new/art_1", "town:new#annex")


def test_coverage_does_not_depend_on_the_excluded_collections(index: SearchIndex, acts_live: int) -> None:
    spec = QuerySpec(words=("dog", "licence"), sources=TOWN, keyword_limit=99)
    whole = {candidate.page.ref: candidate.coverage for candidate in index.search(spec)}
    found = index.search(replace(spec, without=frozenset({OLD_ARTICLES})))
    assert {candidate.page.ref for candidate in found} == {ref("old/rct_1"), ref("new/art_1")}
    assert all(candidate.coverage == pytest.approx(whole[candidate.page.ref]) for candidate in found)


def test_ten_thousand_collections_may_be_excluded_or_included(index: SearchIndex, acts_live: int) -> None:
    many = frozenset(f"town:3{i:04}R@2024-01-01/en#article" for i in range(10_000))
    spec = QuerySpec(words=("dog",), sources=TOWN, vector=EAST, k={"content": 9})
    kept = index.search(replace(spec, within=many | {"town:old#recital"}))
    assert [candidate.page.ref.id for candidate in kept] == ["old/rct_1"]
    left = index.search(replace(spec, without=many | {OLD_ARTICLES}))
    assert {candidate.page.ref.id for candidate in left} == {"old/rct_1", "new/art_1"}


COLLECTIONS: Final = [
    collection(source, document, kind)
    for source in ("town", "county")
    for document in "ab"
    for kind in ("x", "y")
]
PlacedPages = st.lists(st.tuples(st.sampled_from(COLLECTIONS), Corner), min_size=1, max_size=12)
Collections = st.frozensets(st.sampled_from(COLLECTIONS))
Scopes = st.builds(
    QuerySpec,
    words=st.just(("dog",)),
    sources=st.frozensets(st.sampled_from(["town", "county"]), min_size=1),
    without=Collections,
    within=st.none() | Collections,
)


def test_every_clause_equals_brute_force_among_the_pages_in_scope(index: SearchIndex) -> None:
    @examples(40, index)
    @given(placed_pages=PlacedPages, scope=Scopes, query=Corner, k=st.integers(1, 6))
    def check(
        placed_pages: list[tuple[str, tuple[int, ...]]], scope: QuerySpec, query: tuple[int, ...], k: int
    ) -> None:
        number = index.create(RECIPE).number
        index.promote(number)
        for generation in index.generations()[:-1]:
            index.drop(generation.number)
        write(index, number, *(placed(i, where, row) for i, (where, row) in enumerate(placed_pages)))

        cosines = {
            str(i): _cosine(row, query)
            for i, (where, row) in enumerate(placed_pages)
            if where.partition(":")[0] in scope.sources
            and where not in scope.without
            and (scope.within is None or where in scope.within)
        }
        nearest = index.search(replace(scope, vector=unit(*query), k={"content": k}, keyword="none"))
        found = {candidate.page.ref.id: candidate.similarity["content"] for candidate in nearest}
        assert found == pytest.approx({page_id: cosines[page_id] for page_id in found}, abs=1e-5)
        best = sorted(cosines.values(), reverse=True)[:k]
        assert sorted(found.values(), reverse=True) == pytest.approx(best, abs=1e-5)
        words = index.search(replace(scope, keyword_limit=99))
        assert {candidate.page.ref.id for candidate in words} == set(cosines)

    check()


def placed(number: int, where: str, row: Sequence[float]) -> EmbeddedPage:
    """A page of the collection ``where``."""
    source, rest = where.split(":")
    document, kind = rest.split("#")
    made = embedded(ref(str(number), source=source), content="A dog", vectors={"content": [row]})
    return replace(made, page=replace(made.page, document=document, kind=kind))


# Words


@pytest.fixture
def words_live(index: SearchIndex, live: int) -> int:
    write(
        index,
        live,
        embedded("pool", title="Swimming pool", content="Opens in May. Dogs stay outside."),
        embedded("dogs", title="Dogs", content="Every dog has a licence."),
        embedded(
            ref("bad", language="de"),
            title="Freibad",
            content="Öffnungszeiten des Freibads, Hunde bleiben draußen.",
        ),
    )
    return live


@pytest.mark.parametrize(
    ("mode", "words", "expected"),
    [
        ("any", ("licence", "may"), {"pool", "dogs"}),
        ("any", ("dog",), {"pool", "dogs"}),
        ("any", ("hund", "absent"), {"bad"}),
        ("any", ("öffnungszeit",), {"bad"}),
        ("any", ("absent",), set()),
        ("any", (), set()),
        ("all", ("swimming", "dogs"), {"pool"}),
        ("all", ("swims",), {"pool"}),
        ("all", ("dog", "absent"), set()),
        ("all", ("licence", "may"), set()),
        ("all", (), set()),
        ("none", ("dog",), set()),
    ],
)
def test_the_keyword_clause_brings_pages_with_any_or_all_words_in_some_form(
    index: SearchIndex, words_live: int, mode: KeywordMode, words: tuple[str, ...], expected: set[str]
) -> None:
    found = having(index, *words, mode=mode)
    assert set(found) == expected
    assert all(candidate.keyword for candidate in found.values())


@pytest.mark.parametrize("word", ['"', "'", "*", "pool*", "NEAR(", "AND", ") OR (", "\x00", "\ud800", ""])
def test_words_are_never_query_syntax(index: SearchIndex, words_live: int, word: str) -> None:
    assert set(having(index, word, "licence")) - {"pool"} == {"dogs"}
    assert set(having(index, word, "licence", mode="all")) <= {"dogs"}


def test_a_question_of_a_thousand_words_is_answered(index: SearchIndex, words_live: int) -> None:
    assert set(having(index, *(f"w{i}" for i in range(1000)), "licence")) == {"dogs"}


def test_the_keyword_limit_keeps_the_pages_that_match_best(index: SearchIndex, live: int) -> None:
    others = [embedded(f"o{i}", content="A great deal of other text about the town.") for i in range(9)]
    weak = [embedded(f"w{i}", content="One dog. " + "Other text about the town. " * 20) for i in range(5)]
    write(
        index, live, *others, *weak, embedded("best", title="Dog licence", content="A licence for each dog.")
    )
    assert list(having(index, "dog", limit=1)) == ["best"]
    assert list(having(index, "dog", "licence", "town", limit=1)) == ["best"]
    assert set(having(index, "dog", "licence", "town", limit=6)) == {"best", "w0", "w1", "w2", "w3", "w4"}
    assert len(having(index, "dog", "licence", "town", limit=8)) == 8


def test_coverage_is_the_share_of_the_words_weight_and_absent_words_count(
    index: SearchIndex, words_live: int
) -> None:
    alone = having(index, "licence")["dogs"].coverage
    assert 0.3 < alone <= 1
    assert having(index, "licence", "absent")["dogs"].coverage < alone / 1.5
    both = having(index, "licence", "dog")
    assert both["dogs"].coverage > both["pool"].coverage > 0


def test_a_word_of_few_pages_weighs_more_than_a_word_of_many(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        *(embedded(f"p{i}", content="One dog") for i in range(9)),
        embedded("x", content="One licence"),
    )
    found = having(index, "dog", "licence")
    assert found["x"].coverage > 2 * found["p0"].coverage > 0


def test_coverage_depends_on_the_pages_served_not_on_their_history(index: SearchIndex, live: int) -> None:
    pages = [embedded(f"p{i}", content="dog " * (i + 1) + "town " * 9) for i in range(5)]
    write(index, live, *pages)
    before = {page_id: c.coverage for page_id, c in having(index, "dog", "absent").items()}
    for sequence in range(2, 8):
        write(
            index,
            live,
            embedded("p0", sequence, content="Something much longer " * 50),
            remove("gone", sequence),
        )
        write(index, live, embedded("gone", sequence + 1, content="dog"), remove("gone", sequence + 2))
    write(index, live, replace(pages[0], page=replace(pages[0].page, sequence=9)))
    after = {page_id: c.coverage for page_id, c in having(index, "dog", "absent").items()}
    assert len(before) == 5
    assert after == pytest.approx(before)


def test_every_candidate_has_its_coverage_whichever_clause_brought_it(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded("near", content="Dog licence", vectors={"content": [EAST]}),
        embedded("far", content="Dog licence", vectors={"content": [NORTH]}),
    )
    spec = QuerySpec(words=("dog", "licence"), sources=TOWN, vector=EAST, k={"content": 1}, keyword="none")
    [candidate] = index.search(spec)
    assert (candidate.page.ref.id, candidate.keyword) == ("near", False)
    assert candidate.coverage == pytest.approx(having(index, "dog", "licence")["near"].coverage)


def counted(index: SearchIndex, *words: str, **scope: Any) -> list[int]:
    """In how many pages of the scope each word is."""
    found = index.word_pages(QuerySpec(words=words, **{"sources": TOWN, **scope}), 10)
    assert all(len(set(each.refs)) == len(each.refs) == each.count for each in found)
    return [each.count for each in found]


def test_the_pages_with_each_word_in_some_form_are_counted(index: SearchIndex, words_live: int) -> None:
    assert counted(index, "dog", "licences", "freibad", "absent", "freibda") == [2, 1, 1, 0, 0]
    assert counted(index) == []


def test_words_are_counted_in_the_pages_of_the_scope_alone(index: SearchIndex, live: int) -> None:
    write(
        index,
        live,
        embedded("dogs", content="A dog runs."),
        embedded(ref("plans", source="council"), content="A dog park."),
        embedded("law", content="A dog law."),
    )
    law = frozenset({collection("town", "law", "page")})
    assert counted(index, "dog", "park", "law") == [2, 0, 1]
    assert counted(index, "dog", "park", "law", sources=frozenset({"council"})) == [1, 1, 0]
    assert counted(index, "dog", "park", "law", without=law) == [1, 0, 0]
    assert counted(index, "dog", sources=frozenset()) == [0]


def test_of_a_frequent_word_only_some_pages_are_named(index: SearchIndex, live: int) -> None:
    write(index, live, *(embedded(f"dog{n}", content="A dog runs.") for n in range(7)))
    [found] = index.word_pages(QuerySpec(words=("dog",), sources=TOWN), 3)
    assert (found.count, len(set(found.refs))) == (7, 3)
    assert set(found.refs) <= {ref(f"dog{n}") for n in range(7)}


@pytest.mark.parametrize(
    ("word", "edits", "expected"),
    [
        ("licene", 1, {"licence"}),
        ("lisense", 1, set()),
        ("swiming", 1, {"swimming"}),
        ("swmiming", 1, {"swimming"}),
        ("swmimming", 1, {"swimming"}),
        ("öffnungzeitne", 2, {"öffnungszeiten"}),
        ("draussn", 1, {"draussen"}),
        ("hunte", 1, {"hunde"}),
        ("icence", 2, set()),
        ("maz", 1, set()),
    ],
)
def test_similar_words_are_few_edits_away_and_have_the_first_letter(
    index: SearchIndex, words_live: int, word: str, edits: int, expected: set[str]
) -> None:
    assert index.similar_words(word, edits) == expected


def test_words_follow_what_is_written(index: SearchIndex, words_live: int) -> None:
    write(index, words_live, remove("dogs", 2), embedded("cats", content="A cat has a basket."))
    assert counted(index, "licence", "basket") == [0, 1]
    assert index.similar_words("bascet", 1) == {"basket"}


def test_languages_are_those_of_served_pages_the_most_frequent_first(
    index: SearchIndex, words_live: int
) -> None:
    assert index.languages() == ["en", "de"]
    write(index, words_live, *(embedded(ref(f"de{n}", language="de"), content="Ein Hund.") for n in range(5)))
    counted(index, "hund")  # a server counts languages with a question
    assert index.languages() == ["de", "en"]


def test_no_word_is_known_before_a_generation_is_live(index: SearchIndex) -> None:
    assert index.languages() == []
    assert counted(index, "dog") == [0]
    assert index.similar_words("dogg", 1) == set()


# Highlights


def marked(index: SearchIndex, *words: str, pages: Sequence[str] = ("pool", "dogs")) -> dict[str, list[str]]:
    """The marked words by page id."""
    found = index.highlights([ref(page_id) for page_id in pages], words)
    return {
        page.id: [piece.text[start:end] for piece in pieces for start, end in piece.marks]
        for page, pieces in found.items()
    }


def test_highlights_mark_the_words_in_any_form_and_leave_out_pages_without(
    index: SearchIndex, words_live: int
) -> None:
    assert marked(index, "dogs", "licences") == {"pool": ["Dogs"], "dogs": ["dog", "licence"]}
    assert marked(index, "opening") == {"pool": ["Opens"]}
    assert marked(index, "absent") == marked(index) == marked(index, "dogs", pages=()) == {}
    assert index.highlights([ref("bad", language="de")], ("hund",)).keys() == {ref("bad", language="de")}


def test_highlights_are_short_pieces_of_a_long_content(index: SearchIndex, live: int) -> None:
    filler = "Other text about the town goes on and on. " * 20
    content = "\n\n".join(f"{filler}The {i}th dog barks. {filler}" for i in range(9))
    write(index, live, embedded("dogs", content=content))
    [pieces] = index.highlights([ref("dogs")], ("dog",)).values()
    assert len(pieces) == 3
    for piece in pieces:
        assert piece.text in content
        assert len(piece.text) < 300
        assert [piece.text[start:end] for start, end in piece.marks] == ["dog"]


# Bad vectors


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([[1.0, 0.0, 0.0]], r"\b3\b.*\b4\b"),
        ([[1.0] * 4, [0.0] * 4], "zero"),
        ([[float("nan"), 1, 0, 0]], "finite"),
        ([[float("inf"), 1, 0, 0]], "finite"),
    ],
)
def test_bad_vectors_are_refused_and_the_others_written(
    index: SearchIndex, live: int, bad: list[list[float]], reason: str
) -> None:
    write(index, live, embedded("pool", 1, content="Before", vectors={"content": [EAST]}))
    results = index.write(
        live,
        [
            embedded("a", vectors={"content": [EAST]}),
            embedded("pool", 2, content="After", vectors={"content": bad}),
            embedded("b", vectors={"content": [EAST]}),
        ],
    )
    index.refresh()
    assert [result.status for result in results] == ["written", "failed", "written"]
    assert re.search(reason, results[1].reason)
    assert index.pages([ref("pool")])[0].fields == {"content": "Before"}
    assert set(near(index, EAST)) == {"a", "b", "pool"}


def test_text_that_is_not_unicode_is_refused_and_the_others_written(index: SearchIndex, live: int) -> None:
    assert write(index, live, embedded("a", content="\ud800"), embedded("b", content="b")) == [
        "failed",
        "written",
    ]


# Generations


def test_nothing_is_found_before_a_generation_is_live(index: SearchIndex) -> None:
    number = index.create(RECIPE).number
    write(index, number, embedded("pool", title="Swimming", vectors={"content": [EAST]}))
    assert index.live() is None
    assert near(index, EAST) == having(index, "swimming") == {}
    assert index.pages([ref("pool")]) == []
    assert list(index.refs(number)) == [(ref("pool"), 1)]


def test_a_generation_keeps_its_recipe_and_time(index: SearchIndex) -> None:
    recipe = GenerationRecipe(
        embedder={"name": "e", "dims": 7, "lower": True}, build={"chunker": "ü", "n": 3}
    )
    generation = index.create(recipe)
    assert index.generations() == [generation]
    assert (generation.state, generation.recipe) == ("building", recipe)
    assert timedelta(0) <= datetime.now(UTC) - generation.created < timedelta(minutes=1)


def test_a_generation_keeps_its_owner(index: SearchIndex) -> None:
    owned = index.create(RECIPE, "0123abc")
    index.promote(owned.number)
    live = index.live()
    assert live is not None
    assert (owned.owner, live.owner, index.create(RECIPE).owner) == ("0123abc", "0123abc", "")
    assert [generation.owner for generation in index.generations()] == ["0123abc", ""]


def test_the_pages_of_a_generation_are_counted(index: SearchIndex, live: int) -> None:
    other = index.create(RECIPE).number
    write(index, live, embedded("pool", vectors={"content": [EAST] * 3}), embedded(ref("bad", language="de")))
    write(index, live, embedded("gone"), remove("gone", 2))
    write(index, other, embedded("lake"))
    assert (index.count(live), index.count(other)) == (2, 1)
    with pytest.raises(NotFoundError, match="99"):
        index.count(99)


def test_pages_with_words_and_no_vectors_are_named(index: SearchIndex, live: int) -> None:
    whole = embedded("whole", title="Words", content="Words and more", vectors={"content": [EAST]})
    titled = embedded("titled", content="Words", vectors={"title": [EAST]})
    bare = embedded("bare", content="Words")
    index.write(live, [whole, titled, bare, embedded("empty"), embedded("gone", content="Words")])
    assert write(index, live, remove("gone", 2)) == ["written"]
    assert list(index.without_vectors(live)) == [ref("bare")]
    with pytest.raises(NotFoundError, match="no generation 99"):
        list(index.without_vectors(99))


def test_promoting_switches_at_once_and_rolling_back_too(index: SearchIndex) -> None:
    first, second = index.create(RECIPE).number, index.create(RECIPE).number
    write(index, first, embedded("old", vectors={"content": [EAST]}))
    write(index, second, embedded("new", vectors={"content": [EAST]}))
    for number, expected in ((first, "old"), (second, "new"), (first, "old"), (first, "old")):
        index.promote(number)
        assert list(near(index, EAST)) == [expected]
        assert [g.number for g in index.generations() if g.state == "live"] == [number]
        live = index.live()
        assert live is not None
        assert live.number == number
    assert {g.number: g.state for g in index.generations()} == {first: "live", second: "retired"}


def test_a_question_for_a_replaced_generation_is_never_asked_of_its_successor(
    index: SearchIndex, live: int
) -> None:
    write(index, live, embedded("old", vectors={"content": [EAST]}))
    successor = index.create(GenerationRecipe(embedder={"dims": 2}, build={})).number
    index.promote(successor)
    spec = QuerySpec(words=(), sources=TOWN, vector=EAST, k={"content": 1}, keyword="none", generation=live)
    try:
        assert [candidate.page.ref.id for candidate in index.search(spec)] == ["old"]
    except GenerationChangedError as error:
        assert str(successor) in str(error)


def test_generations_may_differ_in_dimensions(index: SearchIndex, live: int) -> None:
    other = index.create(GenerationRecipe(embedder={"dims": 2}, build={})).number
    assert write(index, other, embedded("a", vectors={"content": [[1, 0]]}, dims=2)) == ["written"]
    index.promote(other)
    assert list(near(index, unit(1, 1))) == ["a"]


def test_a_dropped_generation_is_gone_and_its_number_not_used_again(index: SearchIndex, live: int) -> None:
    other = index.create(RECIPE).number
    index.drop(other)
    assert [generation.number for generation in index.generations()] == [live]
    assert index.create(RECIPE).number > other


def test_the_live_generation_cannot_be_dropped(index: SearchIndex, live: int) -> None:
    with pytest.raises(InputError, match="live"):
        index.drop(live)
    assert index.live() is not None


def test_an_unknown_generation_is_named(index: SearchIndex, live: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: index.promote(99),
        lambda: index.drop(99),
        lambda: index.write(99, [embedded("a")]),
        lambda: list(index.refs(99)),
    ]
    for call in calls:
        with pytest.raises(NotFoundError, match="99"):
            call()
    assert index.live() is not None


# Whole pages under concurrency


def test_a_hit_always_belongs_to_the_text_it_came_with(index: SearchIndex, live: int) -> None:
    """Version ``n`` of a page has ``n % 5 + 1`` chunks, and each one's vector says which version it is of."""
    done = threading.Event()
    torn: list[str] = []

    def version(page_id: str, n: int) -> EmbeddedPage:
        chunks = n % 5 + 1
        return embedded(
            page_id, n, content=f"{n}".zfill(6) * chunks, vectors={"content": [unit(n, 1, 0, 0)] * chunks}
        )

    def search() -> None:
        while not done.is_set():
            for candidate in near(index, EAST).values():
                n = candidate.page.sequence
                text = candidate.page.fields["content"].encode()
                for hit in candidate.chunks["content"]:
                    whole = text[hit.start : hit.end].decode() == f"{n}".zfill(6)
                    if not whole or abs(hit.cosine - float(unit(n, 1, 0, 0)[0])) > 1e-6:
                        torn.append(f"version {n}: {hit} in {text!r}")

    write(index, live, *(version(page_id, 1) for page_id in "abc"))
    readers = [threading.Thread(target=search) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(2, 60):
        write(index, live, *(version(page_id, n) for page_id in "abc"))
    done.set()
    for reader in readers:
        reader.join()
    assert torn == []
    assert {c.page.sequence for c in near(index, EAST).values()} == {59}
