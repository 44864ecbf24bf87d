"""A server that takes no writes (its disk is full), and one that has forgotten what was removed."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from elasticsearch import Elasticsearch

from app.errors import IndexUnavailableError
from app.indexing.indexer import Indexer
from app.pages.types import Indexed
from app.search.elastic import ElasticIndex, ElasticOptions
from app.search.elastic.client import failure
from ingest.types import Delete, Save
from tests.app.search.elastic.calls import WRITES, dog, found
from tests.fakes.world import World, raw_page

QUESTION: Final = "Where may dogs swim in the town?"
RETRY_SECONDS: Final = 60.0
FORGETTING_SECONDS: Final = 30.0

SwitchBlock = Callable[[bool], None]


@pytest.fixture
def block(admin: Elasticsearch, options: ElasticOptions) -> SwitchBlock:
    """Put on every index what the server puts on them when its disk is full, or take it away."""

    def switch(on: bool) -> None:
        name = f"{options.prefix}-*"
        admin.indices.put_settings(index=name, settings={"index.blocks.read_only_allow_delete": on or None})

    return switch


@pytest.mark.parametrize("call", WRITES)
def test_a_full_disk_stops_writing_but_not_searching(
    index: ElasticIndex, live: int, block: SwitchBlock, call: str
) -> None:
    index.write(live, [dog("pool"), dog("lake")])
    block(True)
    with pytest.raises(IndexUnavailableError, match=r"flood-stage.*free disk space") as refusal:
        WRITES[call](index)
    assert "\n" not in str(refusal.value)
    assert found(index) == {"pool": 1, "lake": 1}
    block(False)
    WRITES[call](index)
    assert found(index) == ({"pool": 1, "lake": 1} if call == "write" else {"lake": 1})


def test_a_server_that_is_still_starting_is_not_told_to_free_disk_space() -> None:
    blocked = {"type": "cluster_block_exception", "reason": "blocked by: [state not recovered];"}
    said = str(failure(503, blocked))
    assert "cluster_block_exception" in said
    assert "disk" not in said


@pytest.fixture
def world(tmp_path: Path, index: ElasticIndex) -> Iterator[World]:
    """An installation on the index, with two pages."""
    with closing(World(tmp_path, index=index)) as world:
        world.save(
            *(raw_page(name, {"content": f"Dogs may swim in the {name}."}) for name in ("pool", "lake"))
        )
        index.refresh()
        yield world


def retrieved(world: World) -> set[str]:
    """The pages that a visitor is shown."""
    retrieval = world.retriever.retrieve(QUESTION, sources=frozenset({"town"}))
    return {hit.page.ref.id for hit in (*retrieval.hits, *retrieval.keyword_hits)}


def test_while_the_disk_is_full_pages_wait_and_deleted_ones_are_not_shown(
    world: World, index: ElasticIndex, block: SwitchBlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer = Indexer(
        store=world.store,
        index=index,
        writer=world.writer,
        workers=world.workers,
        retry_seconds=RETRY_SECONDS,
        location="embedded",
    )
    assert retrieved(world) == {"pool", "lake"}
    block(True)
    world.store.accept([Save(page=raw_page("river", {"content": "Dogs may swim in the river."}))])
    world.store.accept([Delete(source="town", id="lake")])
    assert retrieved(world) == {"pool"}
    with pytest.raises(IndexUnavailableError, match="free disk space"):
        indexer.sync_pages()
    assert retrieved(world) == {"pool"}
    assert world.store.counts() == {"indexed": 1, "waiting": 2}
    assert indexer.sync_pages() == []

    block(False)
    monkeypatch.setattr(world.store, "_clock", lambda: datetime.now(UTC) + timedelta(seconds=RETRY_SECONDS))
    assert {item.ref.id: item.outcome for item in indexer.sync_pages()} == dict.fromkeys(
        ("river", "lake"), Indexed()
    )
    assert set(world.served()) == retrieved(world) == {"pool", "river"}


def test_many_tries_in_vain_do_not_make_a_page_fail(
    world: World, index: ElasticIndex, block: SwitchBlock
) -> None:
    block(True)
    world.store.accept([Save(page=raw_page("river", {"content": "Dogs may swim in the river."}))])
    for _ in range(7):
        with pytest.raises(IndexUnavailableError):
            world.indexer.sync_pages()
    block(False)
    world.drain()
    assert set(world.served()) == {"pool", "lake", "river"}


def test_a_stale_write_after_the_server_forgot_a_removal_is_never_shown(
    tmp_path: Path, options: ElasticOptions
) -> None:
    """The server remembers removals for ``gc_deletes``; the page store for ever."""
    forgetful = replace(options, gc_deletes="1ms")
    with (
        closing(ElasticIndex(forgetful)) as index,
        closing(World(tmp_path, index=index)) as world,
    ):
        world.save(
            *(raw_page(name, {"content": f"Dogs may swim in the {name}."}) for name in ("pool", "lake"))
        )
        [stale] = world.store.read([world.store.refs("town")[0]])
        assert stale.page is not None
        prepared = world.pipeline.prepare(stale.page, stale.sequence)
        [late] = world.pipeline.embed([prepared])
        name = stale.ref.id
        world.store.accept([Delete(source="town", id=name)])
        world.drain()
        deadline = time.monotonic() + FORGETTING_SECONDS
        while index.write(1, [late])[0].status != "written":
            assert time.monotonic() < deadline, "the server forgets nothing"
            index.refresh()
        assert name in world.served()
        assert retrieved(world) == {"pool", "lake"} - {name}
