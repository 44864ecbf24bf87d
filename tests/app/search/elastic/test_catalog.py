"""Aliases and indices that somebody else changed: nothing is guessed, and the message names what mends it."""

import multiprocessing
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Final

import pytest
from elasticsearch import Elasticsearch

from app.errors import IndexUnavailableError, NotFoundError, SettingsError
from app.search.elastic import ElasticIndex, ElasticOptions, mapping
from app.search.elastic import listing as elastic_listing
from ingest.types import Save
from tests.app.search.elastic.calls import CALLS, READS, dog, found
from tests.contracts.embedded_pages import RECIPE
from tests.fakes.world import World, raw_page


@pytest.fixture
def prefix(options: ElasticOptions) -> str:
    return options.prefix


@pytest.fixture
def town(index: ElasticIndex) -> ElasticIndex:
    """Generations 1 (retired) and 2 (live), each with a page."""
    for number in (1, 2):
        index.promote(index.create(RECIPE).number)
        index.write(number, [dog("pool", number)])
    assert found(index) == {"pool": 2}
    return index


def indices(admin: Elasticsearch, prefix: str) -> set[str]:
    """Every index under the prefix."""
    return set(admin.indices.get(index=f"{prefix}*").body)


def without_alias(admin: Elasticsearch, prefix: str) -> None:
    admin.indices.delete_alias(index=f"{prefix}-*", name=prefix)


def on_two_indices(admin: Elasticsearch, prefix: str) -> None:
    admin.indices.put_alias(index=f"{prefix}-1", name=prefix)


def deleted(admin: Elasticsearch, prefix: str) -> None:
    admin.indices.delete(index=f"{prefix}-2")


def newer(admin: Elasticsearch, prefix: str) -> None:
    _set_version(admin, f"{prefix}-2", mapping.VERSION + 1)


def older(admin: Elasticsearch, prefix: str) -> None:
    _set_version(admin, f"{prefix}-2", mapping.VERSION - 1)


def _set_version(admin: Elasticsearch, index: str, version: int) -> None:
    meta = admin.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
    meta["auskunft"]["version"] = version
    admin.indices.put_mapping(index=index, meta=meta)


Damage = Callable[[Elasticsearch, str], None]
DAMAGES: Final[list[tuple[Damage, str]]] = [
    (without_alias, "alias {prefix} is missing: `auskunft rollback 2` restores"),
    (on_two_indices, "alias {prefix} is on {prefix}-1 and {prefix}-2: `auskunft rollback 2` chooses"),
    (deleted, "alias {prefix} is missing: `auskunft rollback 1` restores"),
    (newer, "{prefix}-2 was made by a newer Auskunft .*: update Auskunft"),
    (older, "{prefix}-2 was made by an older Auskunft .*: run `auskunft reindex`"),
]


def test_a_generation_that_goes_live_gets_as_many_replicas_as_the_settings_say_now(
    town: ElasticIndex, options: ElasticOptions, admin: Elasticsearch, prefix: str
) -> None:
    with closing(ElasticIndex(replace(options, replicas=1))) as changed:
        changed.promote(1)
    settings = admin.indices.get_settings(index=f"{prefix}-*", flat_settings=True)
    replicas = {name: body["settings"]["index.number_of_replicas"] for name, body in settings.items()}
    assert replicas == {f"{prefix}-1": "1", f"{prefix}-2": "0"}


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_what_is_contradictory_is_named_with_the_command_that_mends_it(
    admin: Elasticsearch, options: ElasticOptions, town: ElasticIndex, damage: Damage, complaint: str
) -> None:
    prefix = options.prefix
    damage(admin, prefix)
    before = indices(admin, prefix)
    with closing(ElasticIndex(options)) as another:
        for read in READS.values():
            with pytest.raises(IndexUnavailableError, match=complaint.format(prefix=prefix)) as refusal:
                read(another)
            assert "\n" not in str(refusal.value)
        assert [item.number for item in another.generations()] == sorted(
            int(name.rpartition("-")[2]) for name in before
        )
    assert indices(admin, prefix) == before


@pytest.mark.parametrize("damage", [without_alias, on_two_indices, deleted])
def test_promoting_mends_the_alias(
    admin: Elasticsearch, prefix: str, town: ElasticIndex, damage: Damage
) -> None:
    damage(admin, prefix)
    town.promote(1)
    assert getattr(town.live(), "number", None) == 1
    assert found(town) == {"pool": 1}
    assert set(admin.indices.get_alias(name=prefix).body) == {f"{prefix}-1"}


@pytest.mark.parametrize("damage", [without_alias, on_two_indices, deleted, older])
def test_a_new_generation_can_be_made_and_promoted_whatever_became_of_the_live_one(
    admin: Elasticsearch, options: ElasticOptions, prefix: str, town: ElasticIndex, damage: Damage
) -> None:
    damage(admin, prefix)
    with closing(ElasticIndex(options)) as another:
        made = another.create(RECIPE)
        assert made.number == 3
        another.write(3, [dog("lake")])
        another.promote(3)
        assert found(another) == {"lake": 1}


@pytest.mark.parametrize(
    "call", [name for name in CALLS if name not in ("live", "generations", "refresh", "create")]
)
def test_an_index_deleted_behind_our_back_is_missed_and_not_made_by_accident(
    admin: Elasticsearch, prefix: str, index: ElasticIndex, live: int, call: str
) -> None:
    """Even while the live generation is remembered."""
    index.write(live, [dog("pool")])
    assert found(index) == {"pool": 1}
    admin.indices.delete(index=f"{prefix}-{live}")
    admin.cluster.health(wait_for_events="languid")  # it may tell of the deletion a moment before it is done
    with pytest.raises((IndexUnavailableError, NotFoundError)) as refusal:
        CALLS[call](index)
    assert re.search(r"`auskunft reindex`|there is no generation 1", str(refusal.value))
    assert index.live() is None
    assert indices(admin, prefix) == set()


def test_a_missing_write_alias_is_named_with_the_command_that_helps(
    admin: Elasticsearch, prefix: str, town: ElasticIndex
) -> None:
    admin.indices.delete_alias(index=f"{prefix}-2", name=f"{prefix}-w2")
    with pytest.raises(IndexUnavailableError, match=rf"{prefix}-w2.*`auskunft reindex`"):
        town.write(2, [dog("lake")])
    assert indices(admin, prefix) == {f"{prefix}-1", f"{prefix}-2"}


def test_a_closed_index_fails_no_page(
    admin: Elasticsearch, prefix: str, index: ElasticIndex, live: int
) -> None:
    admin.indices.close(index=f"{prefix}-1")
    for call in ("search", "highlights", "advice", "write", "remove"):
        with pytest.raises(IndexUnavailableError, match=r"closed.*open the index again"):
            CALLS[call](index)
    admin.indices.open(index=f"{prefix}-1", wait_for_active_shards="all")
    assert index.write(live, [dog("lake")])[0].status == "written"


def test_a_listing_whose_index_goes_away_says_so(
    admin: Elasticsearch, prefix: str, town: ElasticIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elastic_listing, "LISTED_PAGES", 1)
    town.write(1, [dog("lake")])
    town.refresh()
    listing = town.refs(1)
    next(listing)
    admin.indices.delete(index=f"{prefix}-1")
    with pytest.raises(IndexUnavailableError):
        list(listing)


@pytest.fixture
def world(tmp_path: Path, index: ElasticIndex) -> Iterator[World]:
    """An installation on the index, with a page."""
    with closing(World(tmp_path, index=index)) as world:
        world.save(raw_page("pool", {"content": "Dogs may swim in the lake."}))
        yield world


def test_pages_wait_while_the_index_is_missing_and_a_rebuild_brings_all_of_them(
    admin: Elasticsearch, prefix: str, world: World
) -> None:
    world.store.accept([Save(page=raw_page("lake", {"content": "Boats."}))])
    admin.indices.delete(index=f"{prefix}-1")
    with pytest.raises(IndexUnavailableError, match="auskunft reindex"):
        world.indexer.sync_pages()
    assert world.store.counts()["waiting"] == 1
    assert indices(admin, prefix) == set()
    world.rebuilder.build()
    assert set(world.served()) == {"pool", "lake"}


@pytest.mark.parametrize("damage", [newer, older])
def test_pages_wait_while_the_index_is_of_another_version(
    admin: Elasticsearch, options: ElasticOptions, index: ElasticIndex, tmp_path: Path, damage: Damage
) -> None:
    """Written to a mapping that is not theirs, they would fail."""
    with closing(World(tmp_path, index=index)) as world:
        world.rebuilder.build()
        damage(admin, options.prefix)
        world.store.accept([Save(page=raw_page("lake", {"content": "Boats."}))])
        with pytest.raises(IndexUnavailableError, match="Auskunft"):
            world.indexer.sync_pages()
        assert world.store.counts()["waiting"] == 1


@pytest.mark.parametrize("damage", [without_alias, on_two_indices])
def test_rolling_back_mends_the_alias(
    admin: Elasticsearch, prefix: str, world: World, damage: Damage
) -> None:
    world.rebuilder.build()
    damage(admin, prefix)
    assert world.rebuilder.rollback(1).number == 1
    assert set(world.served()) == {"pool"}
    assert set(admin.indices.get_alias(name=prefix).body) == {f"{prefix}-1"}


def _create(options: ElasticOptions, start: Barrier, numbers: "multiprocessing.Queue[int]") -> None:
    with closing(ElasticIndex(options)) as index:
        index.generations()
        start.wait()
        for _ in range(3):
            numbers.put(index.create(RECIPE).number)


def test_two_processes_that_create_at_once_get_different_numbers(options: ElasticOptions) -> None:
    context = multiprocessing.get_context("spawn")
    start, numbers = context.Barrier(2), context.Queue()
    processes = [context.Process(target=_create, args=(options, start, numbers)) for _ in range(2)]
    for process in processes:
        process.start()
    made = [numbers.get(timeout=60) for _ in range(6)]
    for process in processes:
        process.join()
    assert sorted(made) == sorted(set(made))
    with closing(ElasticIndex(options)) as index:
        assert [item.number for item in index.generations()] == sorted(made)


def test_an_analyzer_that_the_server_lacks_names_the_settings_and_leaves_nothing(
    admin: Elasticsearch, options: ElasticOptions, prefix: str
) -> None:
    with closing(ElasticIndex(replace(options, languages={"de": "klingon"}))) as index:
        with pytest.raises(SettingsError, match=r"klingon.*elasticsearch_languages"):
            index.create(RECIPE)
        assert index.generations() == []
    assert indices(admin, prefix) == set()


def test_a_refusal_that_does_not_concern_analysis_is_passed_on(options: ElasticOptions) -> None:
    unreadable = replace(options, gc_deletes="99999999999999999999d")
    with (
        closing(ElasticIndex(unreadable)) as index,
        pytest.raises(IndexUnavailableError, match="failed to parse") as refused,
    ):
        index.create(RECIPE)
    assert "elasticsearch_languages" not in str(refused.value)


def test_an_index_of_somebody_else_with_our_prefix_is_left_alone(
    admin: Elasticsearch, prefix: str, index: ElasticIndex
) -> None:
    for name in (f"{prefix}-1", f"{prefix}-notes"):
        admin.indices.create(index=name, settings={"number_of_replicas": 0})
    assert index.generations() == []
    assert index.create(RECIPE).number == 2
    index.drop(2)
    assert indices(admin, prefix) == {f"{prefix}-1", f"{prefix}-notes"}


def test_an_index_that_has_the_aliass_name_is_named(
    admin: Elasticsearch, prefix: str, index: ElasticIndex
) -> None:
    admin.indices.create(index=prefix, settings={"number_of_replicas": 0})
    try:
        made = index.create(RECIPE)
        with pytest.raises(IndexUnavailableError, match=rf"index.* {prefix}\b"):
            index.promote(made.number)
    finally:
        admin.indices.delete(index=prefix)
