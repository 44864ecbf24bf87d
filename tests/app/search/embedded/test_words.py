"""The words in memory against SQLite's full-text search, which ranks by the same formula."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.search.analysis import page_tokens, token_ids
from app.search.coverage import Term
from app.search.embedded import schema, words
from app.search.embedded.database import Database, create
from app.search.embedded.keywords import matches, question_words, terms_of, totals
from app.search.embedded.scope import ScopeMemory
from app.search.embedded.updates import apply
from app.search.embedded.words import PAGE_WORDS, WordMemory
from app.search.types import QuerySpec, Update
from ingest.types import PageRef
from tests.contracts.embedded_pages import DIMS, embedded, ref, remove

SOURCES = ("town", "village", "lake")
VOCABULARY = ("pool", "dog", "tax", "permit", "w4", "w5", "w6", "w7")

Pages = dict[int, list[str]]
"""The words of each page by its number, which is also its number in the file."""

Saves = st.lists(
    st.dictionaries(st.integers(1, 12), st.none() | st.lists(st.sampled_from(VOCABULARY), max_size=9)),
    max_size=6,
)


class Generation:
    """A generation's file, and its words in memory."""

    def __init__(self, folder: Path) -> None:
        path = folder / "generation.sqlite"
        path.unlink(missing_ok=True)
        create(path, schema.GENERATION, version=schema.GENERATION_VERSION, journal="DELETE")
        self.database = Database(path, schema.GENERATION_VERSION)
        self.memory, self.scopes = WordMemory(PAGE_WORDS), ScopeMemory()
        self._sequence = 0
        with self.database.writing() as connection:  # so that pages have the numbers that the tests give
            for number in range(1, 13):
                apply(connection, remove(self._ref(number), 0), DIMS, {})

    def save(self, pages: dict[int, list[str] | None]) -> int:
        """Write these pages, remove those without words, and follow in memory; how many were read."""
        self._sequence += 1
        with self.database.writing() as connection:
            for number, text in pages.items():
                assert apply(connection, self._update(number, text), DIMS, {}).status == "written"
        with self.database.reading() as connection:
            self.scopes.refresh(connection)
            return self.memory.refresh(connection)

    def found(self, spec: QuerySpec) -> tuple[list[int], list[Term]]:
        """The pages that match, best first, and the question's weighted words."""
        with self.database.reading() as connection:
            known = totals(connection)
        asked = question_words(self.memory, spec.words, known)
        found = matches(self.memory, asked, known, spec, self.scopes.scope(spec))
        return found, terms_of(asked, known)

    def _update(self, number: int, text: list[str] | None) -> Update:
        if text is None:
            return remove(self._ref(number), self._sequence)
        return embedded(self._ref(number), self._sequence, content=" ".join(text))

    def _ref(self, number: int) -> PageRef:
        return ref(f"p{number:02}", source=SOURCES[number % 3])


class FullTextSearch:
    """The same pages in SQLite's full-text search: token identifiers in hexadecimal."""

    def __init__(self, pages: Pages) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5(tokens, tokenize='ascii')")
        for number, text in pages.items():
            names = [f"{token:x}" for token in page_tokens({"content": " ".join(text)}, "en").tolist()]
            self._connection.execute(
                "INSERT INTO words (rowid, tokens) VALUES (?, ?)", (number, " ".join(names))
            )

    def scores(self, terms: list[Term], operator: str) -> dict[int, float]:
        """The score of each page that matches, higher is better; none without pages."""
        if not all(len(term.ids) for term in terms):
            return {}
        forms = [[f'"{token:x}"' for token in term.ids.tolist()] for term in terms]
        expression = f" {operator} ".join(f"({' OR '.join(some)})" for some in forms)
        rows = self._connection.execute(
            "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?", (expression,)
        )
        return dict(rows.fetchall())

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples."""
    return tmp_path_factory.mktemp("words")


@pytest.fixture(autouse=True, scope="module")
def small_segments() -> Iterator[None]:
    """Of which a few saves make several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "SEGMENT_TEXTS", 5)
        yield


Specs = st.builds(
    QuerySpec,
    words=st.lists(st.sampled_from((*VOCABULARY, "unknown")), min_size=1, max_size=4, unique=True).map(tuple),
    sources=st.sets(st.sampled_from((*SOURCES, "no source")), min_size=1).map(frozenset),
    keyword=st.sampled_from(("any", "all")),
    keyword_limit=st.integers(1, 6),
)


@settings(max_examples=80, deadline=None)
@given(saves=Saves, spec=Specs)
def test_the_pages_are_those_of_full_text_search_after_any_saves_and_removals(
    folder: Path, saves: list[dict[int, list[str] | None]], spec: QuerySpec
) -> None:
    generation, pages = Generation(folder), Pages()
    for save in saves:
        assert generation.save(save) >= len(save)
        pages |= {number: text for number, text in save.items() if text is not None}
        pages = {number: text for number, text in pages.items() if save.get(number, text) is not None}
    found, terms = generation.found(spec)
    with closing(FullTextSearch(pages)) as reference:
        scores = reference.scores(terms, "AND" if spec.keyword == "all" else "OR")
    inside = {number: score for number, score in scores.items() if SOURCES[number % 3] in spec.sources}
    best = sorted(inside.values(), reverse=True)[: spec.keyword_limit]
    assert len(set(found)) == len(found)
    assert [inside[number] for number in found] == pytest.approx(best)
    frequencies = generation.memory.frequencies(token_ids(["pool", "unknown"]))
    assert frequencies == [sum("pool" in text for text in pages.values()), 0]


def test_equal_pages_are_found_by_their_numbers(folder: Path) -> None:
    generation = Generation(folder)
    for number in (9, 3, 12, 6, 1):
        generation.save({number: ["dog", "tax"]})
    spec = QuerySpec(words=("dog",), sources=frozenset(SOURCES), keyword_limit=3)
    assert generation.found(spec)[0] == [1, 3, 6]


def test_nothing_is_found_once_only_pages_without_words_are_left(folder: Path) -> None:
    generation = Generation(folder)
    generation.save({1: ["dog"], 2: []})
    generation.save({1: None})
    assert generation.found(QuerySpec(words=("dog",), sources=frozenset(SOURCES), keyword_limit=3))[0] == []


def test_only_pages_that_changed_are_read_and_old_segments_are_dropped(folder: Path) -> None:
    generation = Generation(folder)
    assert generation.save({number: ["dog"] for number in range(1, 13)}) == 12
    assert generation.save({}) == 0
    for _ in range(40):
        assert generation.save({1: ["dog"], 2: ["tax"]}) == 2
    assert generation.memory.frequencies(token_ids(["dog"])) == [11]
    assert len(generation.memory._segments) <= 6
