"""How the vectors in memory follow the file."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.search.embedded import EmbeddedIndex, schema
from app.search.embedded.database import Database, create
from app.search.embedded.pages import PageMemory, StoredPage
from app.search.embedded.updates import apply
from app.search.embedded.vectors import FieldMatrix, FieldScores, VectorMemory
from app.search.embedded.words import PAGE_WORDS, WordMemory
from app.search.types import Update
from ingest.types import Vectors
from tests.contracts.embedded_pages import DIMS, RECIPE, embedded, remove, unit

EAST = unit(1, 0, 0, 0)


def generation(folder: Path) -> Database:
    path = folder / "generation.sqlite"
    create(path, schema.GENERATION, version=schema.GENERATION_VERSION, journal="WAL")
    return Database(path, schema.GENERATION_VERSION)


def write(database: Database, *updates: Update) -> None:
    with database.writing() as connection:
        for update in updates:
            apply(connection, update, DIMS, {})


def refresh(memory: VectorMemory | WordMemory, database: Database) -> int:
    with database.reading() as connection:
        return memory.refresh(connection)


def size(memory: VectorMemory | WordMemory) -> int:
    """The number of chunks, or of texts, in memory."""
    if isinstance(memory, WordMemory):
        return memory.lengths()[0]
    found = content_scores(memory)
    return sum(map(len, found.hits(found.best_pages(99)).values()))


def pages(memory: PageMemory, database: Database, *numbers: int) -> dict[int, StoredPage]:
    with database.reading() as connection:
        return memory.pages(connection, numbers or (1, 2))


def content_scores(memory: VectorMemory) -> FieldScores:
    """The cosines of everything with ``EAST``."""
    everything = np.arange(50) > 0
    return memory.scores(EAST, ["content"], everything)["content"]


def test_only_what_changed_is_loaded(tmp_path: Path) -> None:
    writer, reader, memory = generation(tmp_path), generation(tmp_path), VectorMemory(DIMS)
    write(writer, *(embedded(f"p{i}", vectors={"content": [EAST]}) for i in range(20)))
    assert refresh(memory, reader) == 20
    assert refresh(memory, reader) == 0
    write(writer, embedded("p3", 2, vectors={"content": [EAST]}), remove("p4", 2), embedded("p3", 1))
    assert refresh(memory, reader) == 2
    assert len(content_scores(memory).best_pages(100)) == 19


@pytest.mark.parametrize(
    "make_memory", [partial(VectorMemory, DIMS), partial(WordMemory, replace(PAGE_WORDS, pages=5))]
)
def test_a_first_load_that_is_interrupted_anywhere_is_repeated_without_a_trace(
    tmp_path: Path, make_memory: Callable[[], VectorMemory | WordMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.search.embedded.vectors.LOADED_AT_ONCE", 5)
    database, interrupted = generation(tmp_path), 0
    write(database, *(embedded(f"p{i}", vectors={"content": [EAST]}) for i in range(20)))
    for steps in range(20, 400, 20):
        memory = make_memory()
        with suppress(sqlite3.OperationalError), database.reading() as connection:
            connection.set_progress_handler(lambda: 1, steps)
            interrupted += 1
            memory.refresh(connection)
            interrupted -= 1
            connection.set_progress_handler(None, 0)
        refresh(memory, database)
        assert size(memory) == 20
    assert interrupted > 5


def test_what_was_asked_stays_as_it_was_while_pages_change(tmp_path: Path) -> None:
    database, memory = generation(tmp_path), VectorMemory(DIMS)
    write(database, embedded("a", vectors={"content": [EAST]}), embedded("b", vectors={"content": [EAST]}))
    refresh(memory, database)
    before = content_scores(memory)
    known = before.hits([1])
    write(database, remove("a", 2), embedded("b", 2, content="xyz", vectors={"content": [EAST, EAST, EAST]}))
    refresh(memory, database)
    assert before.hits([1]) == known
    assert [len(hits) for hits in before.hits(before.best_pages(9)).values()] == [1, 1]
    now = content_scores(memory)
    assert [len(hits) for hits in now.hits(now.best_pages(9)).values()] == [3]


def test_a_page_is_read_from_the_file_again_once_it_has_changed(tmp_path: Path) -> None:
    database, memory = generation(tmp_path), PageMemory()
    write(database, embedded("a", content="one"), embedded("b", content="two"))
    first = pages(memory, database)
    write(database, embedded("b", 2, content="three"))
    second = pages(memory, database)
    assert second[1] is first[1]
    assert second[2].page.fields["content"] == "three"


def test_pages_kept_are_those_of_the_state_that_is_read(tmp_path: Path) -> None:
    database, memory = generation(tmp_path), PageMemory()
    write(database, embedded("a", content="one"))
    with database.reading() as earlier:
        before = memory.pages(earlier, [1])
        write(database, embedded("a", 2, content="two"))
        assert pages(memory, database)[1].page.fields["content"] == "two"
        assert memory.pages(earlier, [1]) == before


def test_a_page_of_a_file_that_was_restored_in_place_is_not_taken_for_another(tmp_path: Path) -> None:
    database, memory = generation(tmp_path), PageMemory()
    write(database, embedded("a", content="one"))
    with sqlite3.connect(database.path) as live, sqlite3.connect(":memory:") as saved:
        live.backup(saved)
        write(database, embedded("b", 2, content="two"))
        assert pages(memory, database)[2].page.fields["content"] == "two"
        saved.backup(live)
    write(database, embedded("c", 3, content="three"))
    assert pages(memory, database)[2].page.fields["content"] == "three"


def test_the_pages_read_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.search.embedded.pages.KEPT_CHARACTERS", 10)
    monkeypatch.setattr("app.search.embedded.pages.PAGE_CHARACTERS", 1)
    database, memory = generation(tmp_path), PageMemory()
    write(database, *(embedded(name, content="four") for name in "abc"))
    first = pages(memory, database, 1, 2)
    pages(memory, database, 1)
    pages(memory, database, 3)
    assert pages(memory, database, 1)[1] is first[1]
    assert pages(memory, database, 2)[2] is not first[2]


def test_a_page_rewritten_many_times_is_loaded_once(tmp_path: Path) -> None:
    database, memory = generation(tmp_path), VectorMemory(DIMS)
    for sequence in range(1, 9):
        write(database, embedded("p", sequence, vectors={"content": [EAST] * sequence}))
    assert refresh(memory, database) == 1


def test_the_advice_comes_above_the_limit_of_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = EmbeddedIndex(tmp_path)
    assert index.advice() is None
    number = index.create(RECIPE).number
    index.promote(number)
    monkeypatch.setattr("app.search.embedded.index.MANY_VECTORS", 10)
    index.write(number, [embedded("a", vectors={"content": [EAST] * 10})])
    assert index.advice() is None
    index.write(number, [embedded("b", vectors={"title": [EAST]})])
    assert "Elasticsearch" in (index.advice() or "")
    index.write(number, [remove("a", 2)])
    assert index.advice() is None


def test_the_same_question_is_multiplied_once_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, memory, products = generation(tmp_path), VectorMemory(DIMS), list[Vectors]()
    multiplied = FieldMatrix._scores

    def counted(matrix: FieldMatrix, query: Vectors) -> Vectors:
        products.append(query)
        return multiplied(matrix, query)

    monkeypatch.setattr(FieldMatrix, "_scores", counted)
    write(database, embedded("p1", vectors={"content": [EAST]}))
    refresh(memory, database)
    assert content_scores(memory).best_pages(9) == content_scores(memory).best_pages(9) == [1]
    nothing = np.arange(50) > 50
    assert memory.scores(EAST, ["content"], nothing)["content"].best_pages(9) == []
    assert memory.scores(-EAST, ["content"], nothing)["content"].best_pages(9) == []
    assert len(products) == 3
    write(database, embedded("p2", vectors={"content": [EAST]}))
    refresh(memory, database)
    assert content_scores(memory).best_pages(9) == [1, 2]
    assert len(products) == 4
