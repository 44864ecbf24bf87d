"""Vectors are made from texts: damaged ones, wherever they are kept, are made again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from app.background.reconcile import Reconciler
from app.pages.reconciliations import ReconciliationLog
from app.search.embedded import EmbeddedIndex
from app.search.retrieval import Retrieval
from tests.contracts.generations.conftest import with_postgresql
from tests.contracts.generations.test_rebuild import TOWN, fill
from tests.contracts.generations.test_reconcile import _puller
from tests.fakes.world import World, raw_page

DIMS = 512
DAMAGES = {
    "shortened": bytes(100),
    "shortened within a number": bytes(101),
    "empty": b"",
    "another recipe's": np.ones(8, "<f4").tobytes(),
    "not a number": np.full(DIMS, np.nan, "<f4").tobytes(),
    "endless": np.full(DIMS, np.inf, "<f4").tobytes(),
    "far too long": np.full(DIMS, 3e38, "<f4").tobytes(),
    "zero": bytes(4 * DIMS),
}


def damage_cache(world: World, damaged: bytes) -> None:
    """Everything that was embedded before."""
    blob = {"sqlite": f"x'{damaged.hex()}'", "postgresql": f"decode('{damaged.hex()}', 'hex')"}
    with world.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE vectors SET vector = {blob[connection.dialect.name]}")


@with_postgresql
@pytest.mark.parametrize("damaged", DAMAGES.values(), ids=DAMAGES)
def test_a_rebuild_embeds_anew_what_is_damaged_and_keeps_that(world: World, damaged: bytes) -> None:
    fill(world)
    damage_cache(world, damaged)
    for embedded in (40, 0):
        world.embedder.embedded.clear()
        rebuilt = world.rebuilder.build()
        assert (rebuilt.pages, rebuilt.failures, len(world.embedder.embedded)) == (40, {}, embedded)


def ask(world: World) -> Retrieval:
    return world.retriever.retrieve("Does a wombat live beside the harbour?", sources=TOWN)


def mend(world: World) -> None:
    """What happens every night."""
    reconciler = Reconciler(
        store=world.store,
        index=world.index,
        generations=world.generations,
        log=ReconciliationLog(world.engine),
        puller=_puller(world),
        pulled=(),
        wake=world.woken.append,
    )
    reconciler.run()
    world.drain()


@pytest.fixture
def embedded_world(tmp_path: Path) -> Iterator[World]:
    """Indexed pages, the last of which, ``p17``, is about something of its own."""
    world = World(tmp_path)
    fill(world, 17)
    world.save(raw_page("p17", {"content": "A wombat lives beside the harbour."}))
    yield world
    world.close()


@pytest.mark.parametrize("searched_before", [True, False])
@pytest.mark.parametrize("kind", ["shortened", "shortened within a number", "not a number", "zero"])
def test_a_page_whose_vectors_are_damaged_in_the_index_is_found_by_words_and_mended(
    embedded_world: World, tmp_path: Path, kind: str, searched_before: bool
) -> None:
    world = embedded_world
    if searched_before:
        ask(world)
    with closing(sqlite3.connect(tmp_path / "index" / "generation-000001.sqlite")) as connection, connection:
        where = "document = (SELECT number FROM documents WHERE id = 'p17')"
        connection.execute(f"UPDATE chunks SET vectors = ? WHERE {where}", (DAMAGES[kind],))
        connection.execute(f"UPDATE changes SET number = number + 1000 WHERE {where}")
    assert "p17" in [hit.page.ref.id for hit in ask(world).hits]
    assert isinstance(world.index, EmbeddedIndex)
    assert world.index.damaged() == 1
    assert [ref.id for ref in world.index.without_vectors(1)] == ["p17"]
    mend(world)
    ask(world)
    assert (world.index.damaged(), list(world.index.without_vectors(1))) == (0, [])


@pytest.mark.parametrize("column", ["positions", "starts", "ends"])
def test_chunks_that_do_not_fit_together_are_left_out_and_counted(
    embedded_world: World, tmp_path: Path, column: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "index" / "generation-000001.sqlite")) as connection, connection:
        connection.execute(f"UPDATE chunks SET {column} = x'010203'")
        connection.execute("UPDATE documents SET tokens = substr(tokens, 1, 11)")
    assert isinstance(embedded_world.index, EmbeddedIndex)
    assert embedded_world.index.damaged() == 18, "which is seen without a search"
    ask(embedded_world)


@pytest.mark.parametrize(
    "damage",
    ["metadata = '{x'", "metadata = '[1]'", "updated = 'yesterday'", "title = CAST(x'ff41' AS TEXT)"],
)
def test_a_page_that_cannot_be_read_in_the_index_ends_no_question_and_is_mended(
    embedded_world: World, tmp_path: Path, damage: str
) -> None:
    file = tmp_path / "index" / "generation-000001.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE documents SET {damage} WHERE id = 'p17'")
    assert isinstance(embedded_world.index, EmbeddedIndex)
    is_read = damage.startswith("title")
    assert ("p17" in [hit.page.ref.id for hit in ask(embedded_world).hits]) is is_read
    assert embedded_world.index.damaged() == (0 if is_read else 1)
    mend(embedded_world)
    assert ask(embedded_world).hits[0].page.ref.id == "p17"
    assert embedded_world.index.damaged() == 0
