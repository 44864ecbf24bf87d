"""While a generation is built, claims write to it and to the live one."""

from collections.abc import Sequence

import pytest

from app.errors import EmbedderUnavailableError, PluginError
from app.pages.types import Indexed, Waiting
from app.search.types import Generation
from ingest.types import Delete, FieldName, RawPage, Save, Vectors
from tests.contracts.generations.conftest import everywhere, with_elasticsearch, with_postgresql
from tests.fakes.world import World, markdown, raw_page


def begin(world: World) -> Generation:
    """Another process begins to build a generation with the present settings."""
    world.builds.begin("builder")
    generation = world.index.create(world.recipe())
    world.builds.set_generation("builder", generation.number)
    return generation


@everywhere
def test_saves_and_deletions_go_to_both(world: World) -> None:
    world.save(raw_page("before", {"content": "text"}))
    target = begin(world).number
    world.save(raw_page("a", {"content": "text"}), raw_page("b", {"content": "text"}))
    assert world.served(target) == {"a": 2, "b": 3}
    world.store.accept([Delete(source="town", id="a")])
    world.drain()
    assert (world.served(), world.served(target)) == ({"before": 1, "b": 3}, {"b": 3})
    assert world.store.pending() == 0


def test_a_page_is_converted_once_and_embedded_once_where_the_embedder_is_the_same(world: World) -> None:
    converted = []

    def convert(raw: RawPage) -> dict[FieldName, str]:
        converted.append(raw.ref.id)
        return markdown(raw)

    begin(world)
    world.pipeline._convert = convert
    world.save(raw_page("a", {"title": "One window", "content": "another window"}))
    assert converted == ["a"]
    assert len(world.embedder.embedded) == 2


@with_elasticsearch
def test_each_generation_gets_the_vectors_of_its_own_embedder(world: World) -> None:
    old = world.embedder
    world.change_embedder(64)
    target = begin(world)
    world.save(raw_page("a", {"content": "The pool opens at nine."}))
    assert (len(old.embedded), len(world.embedder.embedded)) == (1, 1)
    assert world.served() == world.served(target.number) == {"a": 1}
    world.index.promote(target.number)
    found = world.retriever.retrieve("When does the pool open?", sources=frozenset({"town"}))
    assert [hit.page.ref.id for hit in found.hits] == ["a"]


@with_postgresql
def test_a_claim_from_before_the_build_writes_to_the_live_one_alone(world: World) -> None:
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    target = 0

    def convert(raw: RawPage) -> dict[FieldName, str]:
        nonlocal target
        target = target or begin(world).number
        return markdown(raw)

    world.pipeline._convert = convert
    world.drain()
    assert (world.served(), world.served(target)) == ({"a": 1}, {})


def test_a_build_that_was_given_up_is_passed_over(world: World) -> None:
    world.index.drop(begin(world).number)
    world.save(raw_page("a", {"content": "text"}))
    assert (world.served(), world.store.pending()) == ({"a": 1}, 0)


@with_elasticsearch
def test_a_build_that_is_given_up_just_before_the_write_is_passed_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.change_embedder(64)
    target = begin(world).number
    embed = world.embedder.embed_documents

    def give_up_and_embed(texts: Sequence[str]) -> Vectors:
        world.index.drop(target)
        return embed(texts)

    monkeypatch.setattr(world.embedder, "embed_documents", give_up_and_embed)
    world.save(raw_page("a", {"content": "text"}))
    assert (world.states(), world.served(), world.store.pending()) == (["live"], {"a": 1}, 0)


def test_while_the_new_embedder_is_away_pages_are_served_but_stay_due(world: World) -> None:
    world.change_embedder(64)
    target = begin(world).number
    world.embedder.off = True
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    with pytest.raises(EmbedderUnavailableError):
        world.indexer.sync_pages()
    assert (world.served(), world.served(target), world.store.pending()) == ({"a": 1}, {}, 1)
    world.embedder.off = False
    world.drain()
    assert (world.served(target), world.store.pending()) == ({"a": 1}, 0)


def test_deletions_need_no_embedder_and_saves_wait_where_one_cannot_be_built(world: World) -> None:
    world.save(raw_page("a", {"content": "text"}))
    world.uninstall_embedder()
    world.store.accept([Delete(source="town", id="a")])
    world.drain()
    assert (world.served(), world.store.pending()) == ({}, 0)
    world.store.accept([Save(page=raw_page("b", {"content": "text"}))])
    for _ in range(7):  # more often than the attempts that make a page poison
        with pytest.raises(PluginError):
            world.indexer.sync_pages()
    assert [row.reason for row in world.page_list.records(state="waiting")] == ["plugin_failed"]


@with_elasticsearch
def test_a_page_that_only_the_new_one_refuses_stays_due_until_the_switch_tells(world: World) -> None:
    world.change_embedder(64)
    target = begin(world).number
    world.embedder.broken = True
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    [synced] = world.indexer.sync_pages()
    assert synced.outcome == Waiting(reason="rebuild", seconds=0.0)
    world.index.promote(target)
    [synced] = world.indexer.sync_pages()
    assert [row.state for row in world.page_list.records()] == ["failed"]


def test_a_generation_that_became_live_meanwhile_is_written_once(world: World) -> None:
    target = begin(world).number
    world.index.promote(target)
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    [synced] = world.indexer.sync_pages()
    assert (synced.outcome, world.served(target), world.served(1)) == (Indexed(), {"a": 1}, {})


@with_elasticsearch
def test_a_promotion_that_questions_have_not_seen_yet_holds_for_writes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.index.live()
    world.index.promote(world.index.create(world.recipe()).number)
    monkeypatch.setattr(world.index, "live", lambda: before)
    world.save(raw_page("a", {"content": "text"}))
    assert (world.served(1), world.served(2)) == ({}, {"a": 1})


@with_elasticsearch
def test_where_the_live_one_was_replaced_and_dropped_meanwhile_the_next_is_written(world: World) -> None:
    def convert(raw: RawPage) -> dict[FieldName, str]:
        if world.states() == ["live"] and world.index.generations()[0].number == 1:
            world.index.promote(world.index.create(world.recipe()).number)
            world.index.drop(1)
        return markdown(raw)

    world.pipeline._convert = convert
    world.save(raw_page("a", {"content": "text"}))
    assert (world.served(), world.store.pending()) == ({"a": 1}, 0)
