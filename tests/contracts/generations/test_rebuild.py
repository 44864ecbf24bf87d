"""A rebuild: what goes live is what the page store says, and until then the old one serves."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.errors import (
    ConflictError,
    EmbedderUnavailableError,
    IndexUnavailableError,
    InputError,
    NeedsAttentionError,
    PageError,
)
from app.indexing.progress import Progress
from app.pages.types import Failed
from app.search.types import Update, WriteResult
from ingest.types import Delete, FieldName, RawPage, Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch, with_postgresql
from tests.fakes.world import World, markdown, raw_page

TOWN = frozenset({"town"})


def fill(world: World, pages: int = 40) -> None:
    """Pages ``p0``, ``p1``, ..., indexed."""
    world.save(*(raw_page(f"p{n}", {"content": f"Page number{n} of the town."}) for n in range(pages)))


def refuse(world: World, *names: str) -> None:
    """From now on these pages cannot be converted."""

    def convert(raw: RawPage) -> dict[FieldName, str]:
        if raw.ref.id in names:
            raise PageError("timeout", "took too long")
        return markdown(raw)

    world.pipeline._convert = convert


@everywhere
def test_the_new_generation_is_the_page_store_and_the_old_one_is_kept(world: World) -> None:
    fill(world)
    world.store.accept([Delete(source="town", id="p1"), Save(page=raw_page("p2", {"content": "edited"}))])
    world.store.accept([Save(page=raw_page("new", {"content": "new"}))])
    world.store.exclude("town", "p3")
    rebuilt = world.rebuilder.build()
    assert (rebuilt.number, rebuilt.kept, rebuilt.pages, rebuilt.failures) == (2, 1, 39, {})
    assert world.states() == ["retired", "live"]
    assert world.served() == world.wanted()
    assert len(world.wanted()) == 39
    assert world.store.counts() == {"indexed": 39, "deleted": 1, "excluded": 1}
    assert world.builds.current() is None


@with_elasticsearch
def test_older_generations_than_the_last_are_dropped(world: World) -> None:
    for _ in range(3):
        world.rebuilder.build()
    assert [generation.number for generation in world.index.generations()] == [3, 4]


@with_postgresql
def test_nothing_that_has_been_embedded_is_embedded_again(world: World) -> None:
    fill(world)
    world.embedder.embedded.clear()
    world.rebuilder.build()
    assert world.embedder.embedded == []


@with_elasticsearch
def test_a_rebuild_changes_the_embedder(world: World) -> None:
    fill(world)
    world.change_embedder(64)
    world.rebuilder.build()
    assert [generation.recipe.dims for generation in world.index.generations()] == [512, 64]
    found = world.retriever.retrieve("Where is page number7 of the town?", sources=TOWN)
    assert (found.hits[0].page.ref.id, found.degraded) == ("p7", ())


@everywhere
def test_a_deleted_page_cannot_come_back_by_a_worker_that_was_hanging(world: World) -> None:
    fill(world, 2)
    late = world.store.claim(1, "hanging", [world.store.refs("town")[0]])
    assert late == []
    world.store.accept([Save(page=raw_page("p0", {"content": "edited"}))])
    [claim] = world.store.claim(1, "hanging")
    world.store.release("hanging")
    world.store.accept([Delete(source="town", id="p0")])
    world.drain()
    world.rebuilder.build()
    assert claim.page is not None
    live = world.index.generations()[-1]
    [result] = world.index.write(live.number, [world.pipeline.build(claim.page, claim.sequence)])
    assert result.status == "superseded"
    assert world.served() == {"p1": 2}


def test_progress_is_called_with_pages_written_of_all_and_chunks(world: World) -> None:
    fill(world)
    calls: list[Progress] = []
    world.rebuilder.build(calls.append)
    last = calls[-1]
    assert (last.done, last.total, last.chunks, last.total_chunks, last.is_exact) == (40, 40, 40, 40, True)
    assert [call.done for call in calls] == sorted(call.done for call in calls)
    assert [call.chunks for call in calls] == sorted(call.chunks for call in calls)
    assert {call.total for call in calls} == {40}


def test_pages_that_fail_are_listed_and_the_others_go_live(world: World) -> None:
    fill(world)
    refuse(world, "p5")
    rebuilt = world.rebuilder.build()
    assert {ref.id: failure for ref, failure in rebuilt.failures.items()} == {
        "p5": Failed(reason="timeout", message="took too long")
    }
    assert world.served().keys() == world.wanted().keys() - {"p5"}
    listed = [(row.ref.id, row.reason) for row in world.page_list.records(state="failed")]
    assert listed == [("p5", "timeout: took too long")]


def test_where_many_pages_would_be_lost_the_old_generation_stays(world: World) -> None:
    fill(world)
    refuse(world, "p5", "p6", "p7")
    complaint = r"3 of the 40 pages .*would be lost \(3 timeout; p5: took too long\).*stays as it is"
    with pytest.raises(NeedsAttentionError, match=complaint):
        world.rebuilder.build()
    assert world.states() == ["live"]
    assert world.served() == world.wanted()
    assert world.store.counts() == {"indexed": 40}
    assert world.builds.current() is None


def test_pages_that_were_not_served_before_are_not_lost(world: World) -> None:
    fill(world, 2)
    refuse(world, "bad")
    world.save(raw_page("bad", {"content": "text"}))
    assert len(world.rebuilder.build().failures) == 1
    assert world.states() == ["retired", "live"]


def test_a_page_that_had_failed_is_indexed_where_it_can_be_now(world: World) -> None:
    fill(world, 2)
    refuse(world, "bad")
    world.save(raw_page("bad", {"content": "text"}))
    refuse(world)
    assert world.rebuilder.build().failures == {}
    assert world.served() == world.wanted()
    assert world.store.counts() == {"indexed": 3}


def test_a_page_that_kills_workers_is_not_tried(world: World) -> None:
    fill(world, 2)
    world.store.accept([Save(page=raw_page("bad", {"content": "text"}))])
    for _ in range(5):
        world.store.claim(1, "dies")
        world.store.release("dies")
    assert world.store.claim(1, "dies") == []
    refuse(world, "bad")
    rebuilt = world.rebuilder.build()
    assert [failure.reason for failure in rebuilt.failures.values()] == ["poison"]
    assert world.store.snapshot(next(iter(rebuilt.failures))).reason.startswith("poison: ")


def test_a_failed_page_that_is_edited_meanwhile_goes_in(world: World) -> None:
    fill(world)
    refuse(world, "p0")

    def edit(progress: Progress) -> None:
        if progress.done == progress.total and not world.store.pending():
            refuse(world)
            world.store.accept([Save(page=raw_page("p0", {"content": "mended"}))])

    rebuilt = world.rebuilder.build(edit)
    assert (rebuilt.failures, world.store.pending()) == ({}, 0)
    assert world.served() == world.wanted()


@with_postgresql
def test_a_second_rebuild_is_refused_while_one_runs(world: World) -> None:
    fill(world, 2)
    refusals: list[str] = []

    def begin_another(_progress: Progress) -> None:
        for attempt in (world.rebuilder.build, world.rebuilder.rollback, lambda: world.generations.drop(2)):
            with pytest.raises(ConflictError) as refused:
                attempt()
            refusals.append(str(refused.value))
        world.generations.clean_up()

    world.rebuilder.build(begin_another)
    assert all(
        re.match(r"generation 2 has been under construction since 20", refusal) for refusal in refusals
    )
    assert world.states() == ["retired", "live"]


@with_elasticsearch
@pytest.mark.parametrize("error", [KeyboardInterrupt, EmbedderUnavailableError, RuntimeError])
def test_a_rebuild_that_is_interrupted_leaves_nothing(world: World, error: type[BaseException]) -> None:
    fill(world, 20)

    def interrupt(progress: Progress) -> None:
        if progress.done:
            raise error

    with pytest.raises(error):
        world.rebuilder.build(interrupt)
    assert (world.states(), world.builds.current()) == (["live"], None)
    assert world.rebuilder.build().pages == 20


@with_postgresql
def test_a_builder_whose_place_was_taken_gives_up(world: World) -> None:
    fill(world, 2)

    def take_over(_progress: Progress) -> None:
        world.store.release(world.workers.id)
        world.builds.begin("another")

    with pytest.raises(ConflictError, match="is cancelled"):
        world.rebuilder.build(take_over)
    assert world.states() == ["live"]
    running = world.builds.current()
    assert running is not None
    assert running.worker == "another"


@with_postgresql
def test_a_builder_whose_place_was_taken_does_not_go_live_though_nothing_was_left_to_write(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_over() -> None:
        for worker in (world.workers.id, "another"):
            world.store.release(worker)
        world.builds.begin("another")

    monkeypatch.setattr(world.index, "refresh", take_over)
    with pytest.raises(ConflictError, match="is cancelled"):
        world.rebuilder.build()
    assert world.states() == ["live"]


@with_postgresql
def test_the_place_of_a_builder_that_died_on_this_machine_is_free_at_once(
    world: World, tmp_path: Path
) -> None:
    lock = tmp_path / "workers" / "0123456789abcdef0123456789abcdef.lock"
    lock.touch()
    world.builds.begin(lock.stem)
    assert world.rebuilder.build().number == 2


@everywhere
def test_what_a_dead_builder_left_is_cleaned_up_unless_somebody_builds(world: World) -> None:
    fill(world, 2)
    world.index.create(world.recipe())
    world.builds.begin("builder")
    world.generations.clean_up()
    assert world.states() == ["live", "building"]
    world.store.release("builder")
    world.generations.clean_up()
    assert (world.states(), world.builds.current()) == (["live"], None)


def test_an_index_that_keeps_nothing_is_an_error_and_no_endless_loop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 2)

    def forget(generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        pages = world.store.read(world.store.refs("town"))
        return [WriteResult(ref=page.ref, sequence=page.sequence, status="written") for page in pages]

    monkeypatch.setattr(world.index, "write", forget)
    with pytest.raises(IndexUnavailableError, match=r"generation 2 loses .*\(2 pages: p0, p1\)"):
        world.rebuilder.build()
    assert world.states() == ["live"]


@with_elasticsearch
def test_a_source_is_written_again_in_place(world: World) -> None:
    fill(world, 2)
    world.save(raw_page("other", {"content": "text"}, source="village"))
    world.pipeline._convert = lambda raw: {"content": f"{raw.ref.id} converted anew"}
    refs = world.rebuilder.requeue("town")
    assert [ref.id for ref in refs] == ["p0", "p1"]
    world.drain()
    world.index.refresh()
    found = world.index.pages([*refs, *world.store.refs("village")])
    assert [page.fields["content"] for page in found] == ["p0 converted anew", "p1 converted anew", "text"]
    assert world.states() == ["live"]


def test_a_source_is_not_written_with_another_embedder(world: World) -> None:
    fill(world, 2)
    world.change_embedder(64)
    with pytest.raises(InputError, match="run `auskunft reindex` without --source"):
        world.rebuilder.requeue("town")
    assert world.store.pending() == 0
