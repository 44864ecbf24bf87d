"""A rebuild through the queue: many write, one starts and ends it; after a death the next worker resumes."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import (
    ConflictError,
    EmbedderUnavailableError,
    IndexUnavailableError,
    NotFoundError,
    PageStoreUnavailableError,
)
from app.indexing.filling import GenerationFiller
from app.indexing.generations import Generations
from app.indexing.rebuild import Rebuilder
from app.indexing.rebuild_queue import RebuildQueue
from app.pages.rebuilds import RebuildLog
from app.search.types import Update, WriteResult
from ingest.types import Delete, FieldName, RawPage, Save
from tests.contracts.generations.conftest import everywhere, with_elasticsearch, with_postgresql
from tests.contracts.generations.test_rebuild import fill, refuse
from tests.fakes.world import World, raw_page


class Death(BaseException):
    """The worker's process is killed: nothing of it runs any more."""


def die(*_arguments: object, **_options: object) -> Any:
    raise Death


def work(queue: RebuildQueue, steps: int = 1_000) -> None:
    """Advance until there is nothing to do at once."""
    for _ in range(steps):
        if not queue.advance():
            return


@everywhere
def test_it_ends_with_a_live_generation_that_is_the_page_store(world: World) -> None:
    fill(world)
    world.store.accept([Delete(source="town", id="p1"), Save(page=raw_page("p2", {"content": "edited"}))])
    asked = world.rebuild_queue().request()
    assert (asked.state, asked.pages, world.states()) == ("queued", 0, ["live"])
    work(world.rebuild_queue())
    done = world.rebuild_queue().get(asked.id)
    assert (done.state, done.reason, done.pages, done.written, done.failed) == ("done", "", 39, 39, 0)
    assert done.finished_at is not None
    assert world.states() == ["retired", "live"]
    assert world.served() == world.wanted()
    assert world.store.counts() == {"indexed": 39, "deleted": 1}
    assert world.builds.current() is None


def test_nothing_is_done_where_nothing_was_asked_for(world: World) -> None:
    fill(world, 2)
    assert not world.rebuild_queue().advance()
    assert world.states() == ["live"]


@with_postgresql
def test_two_workers_write_different_pages(world: World) -> None:
    fill(world, 300)
    first, second = world.rebuild_queue("first"), world.rebuild_queue("second")
    asked = first.request()
    assert first.advance()
    assert first.advance()
    assert second.advance()
    assert first.get(asked.id).written == 256
    work(second)
    assert second.get(asked.id).state == "done"
    assert world.served() == world.wanted()


def test_progress_is_told_while_it_runs(world: World) -> None:
    fill(world, 200)
    queue = world.rebuild_queue()
    asked = queue.request()
    queue.advance()
    queue.advance()
    now = queue.get(asked.id)
    assert (now.state, now.written, now.pages, now.generation) == ("running", 128, 200, 2)
    active = queue.active()
    assert active is not None
    assert active.id == now.id


@with_postgresql
def test_a_worker_that_dies_is_followed_by_the_next_which_goes_on_with_the_same_generation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 200)
    dying = world.rebuild_queue("dying")
    asked = dying.request()
    dying.advance()
    dying.advance()
    with monkeypatch.context() as patch:
        patch.setattr(world.writer, "write", die)
        with pytest.raises(Death):
            dying.advance()
    successor = world.rebuild_queue("successor")
    work(successor)
    assert successor.get(asked.id).state == "running"
    world.store.release("dying")
    world.embedder.embedded.clear()
    work(successor)
    assert (successor.get(asked.id).state, successor.get(asked.id).generation) == ("done", 2)
    assert world.served() == world.wanted()


@with_elasticsearch
def test_one_that_was_begun_but_not_noted_begins_again_without_leftovers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    with monkeypatch.context() as patch:
        patch.setattr(RebuildLog, "begin", die)
        with pytest.raises(Death):
            world.rebuild_queue().advance()
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"
    assert world.states() == ["retired", "live"]


@with_elasticsearch
def test_one_that_died_after_it_went_live_is_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    with monkeypatch.context() as patch:
        patch.setattr(RebuildLog, "finish", die)
        with pytest.raises(Death):
            work(world.rebuild_queue())
    assert world.states() == ["retired", "live"]
    world.rebuild_queue().cancel(asked.id)
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"
    assert world.states() == ["retired", "live"]
    assert world.served() == world.wanted()


@everywhere
def test_pages_saved_and_deleted_meanwhile_are_as_they_are_now(world: World) -> None:
    fill(world, 200)
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()
    world.rebuild_queue().advance()
    changes = [Delete(source="town", id="p0"), Delete(source="town", id="p199")]
    world.store.accept([*changes, Save(page=raw_page("p1", {"content": "edited meanwhile"}))])
    world.save(raw_page("new", {"content": "made meanwhile"}))
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"
    assert world.served() == world.wanted()
    assert "p0" not in world.served()
    assert "new" in world.served()


@with_postgresql
def test_a_second_one_and_one_by_hand_are_refused_meanwhile(world: World) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    with pytest.raises(ConflictError, match=asked.id):
        world.rebuild_queue().request()
    world.rebuild_queue().advance()
    with pytest.raises(ConflictError, match=r"auskunft reindex --cancel"):
        world.rebuilder.build()
    world.generations.clean_up()
    assert world.states() == ["live", "building"]
    work(world.rebuild_queue())
    assert world.rebuilder.build().number == 3


@with_postgresql
def test_it_waits_for_one_that_was_begun_by_hand(world: World) -> None:
    fill(world, 5)
    world.builds.begin("somebody")
    asked = world.rebuild_queue().request()
    work(world.rebuild_queue())
    waiting = world.rebuild_queue().get(asked.id)
    assert waiting.state == "queued"
    assert "under construction" in waiting.reason
    world.builds.end("somebody")
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"


@with_elasticsearch
def test_a_cancelled_one_leaves_the_old_generation_and_nothing_else(world: World) -> None:
    fill(world, 200)
    queue = world.rebuild_queue()
    asked = queue.request()
    queue.advance()
    queue.advance()
    assert queue.cancel(asked.id).cancelled
    work(queue)
    assert queue.get(asked.id).state == "cancelled"
    assert world.states() == ["live"]
    assert world.builds.current() is None
    assert world.store.counts() == {"indexed": 200}
    with pytest.raises(ConflictError, match="has already ended"):
        queue.cancel(asked.id)
    with pytest.raises(NotFoundError):
        queue.cancel("another")


@pytest.mark.parametrize(
    ("step", "states", "state"),
    [
        ((GenerationFiller, "fill"), ["live"], "cancelled"),
        ((Rebuilder, "_retire"), ["retired", "live"], "done"),
    ],
)
def test_until_it_goes_live_it_can_be_cancelled_and_then_no_longer(
    world: World, monkeypatch: pytest.MonkeyPatch, step: tuple[type, str], states: list[str], state: str
) -> None:
    fill(world, 5)
    queue = world.rebuild_queue()
    asked, done = queue.request(), getattr(*step)

    def cancel_and_do(*arguments: Any, **options: Any) -> Any:
        queue.cancel(asked.id)
        return done(*arguments, **options)

    monkeypatch.setattr(*step, cancel_and_do)
    work(queue)
    assert (queue.get(asked.id).state, world.states()) == (state, states)
    assert world.builds.current() is None
    assert world.served() == world.wanted()


def test_pages_that_fail_are_listed_and_the_others_go_live(world: World) -> None:
    fill(world)
    refuse(world, "p5")
    asked = world.rebuild_queue().request()
    work(world.rebuild_queue())
    done = world.rebuild_queue().get(asked.id)
    assert (done.state, done.written, done.failed) == ("done", 39, 1)
    listed = [(row.ref.id, row.reason) for row in world.page_list.records(state="failed")]
    assert listed == [("p5", "timeout: took too long")]


def test_where_many_pages_would_be_lost_it_needs_attention(world: World) -> None:
    fill(world)
    refuse(world, "p5", "p6", "p7")
    asked = world.rebuild_queue().request()
    work(world.rebuild_queue())
    ended = world.rebuild_queue().get(asked.id)
    assert ended.state == "needs_attention"
    assert re.search(r"3 of the 40 pages .*would be lost \(3 timeout; p5", ended.reason)
    assert world.states() == ["live"]
    assert world.served() == world.wanted()
    assert world.store.counts() == {"indexed": 40}


def test_another_worker_does_not_end_it_for_the_generation_that_is_just_being_dropped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    refuse(world, "p5", "p6", "p7")
    discard = Generations.discard

    def discard_and_meet(generations: Generations, number: int) -> None:
        monkeypatch.setattr(Generations, "discard", discard)
        discard(generations, number)
        work(world.rebuild_queue("second"))

    monkeypatch.setattr(Generations, "discard", discard_and_meet)
    asked = world.rebuild_queue().request()
    work(world.rebuild_queue())
    ended = world.rebuild_queue().get(asked.id)
    assert (ended.state, ended.reason[:15]) == ("needs_attention", "needs attention")
    assert (world.states(), world.builds.current()) == (["live"], None)


@with_postgresql
def test_a_page_that_kills_its_workers_fails_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, 40)

    healthy = world.pipeline._convert
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()
    monkeypatch.setattr(world.pipeline, "_convert", lambda raw: die() if raw.ref.id == "p7" else healthy(raw))
    for _ in range(100):
        try:
            work(world.rebuild_queue("worker"))
        except Death:
            world.store.release("worker")
        else:
            break
    done = world.rebuild_queue().get(asked.id)
    assert (done.state, done.written, done.failed) == ("done", 39, 1)
    [row] = world.page_list.records(state="failed")
    assert row.reason.startswith("poison: every attempt")


def test_a_page_that_takes_all_memory_fails_alone(world: World) -> None:
    fill(world, 40)
    healthy = world.pipeline._convert

    def exhaust(raw: RawPage) -> Mapping[FieldName, str]:
        if raw.ref.id == "p7":
            raise MemoryError
        return healthy(raw)

    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()
    world.pipeline._convert = exhaust
    for _ in range(10):  # more often than the attempts that make a page poison
        with suppress(MemoryError):
            work(world.rebuild_queue())
    done = world.rebuild_queue().get(asked.id)
    assert (done.state, done.written, done.failed) == ("done", 39, 1)
    assert world.served().keys() == world.wanted().keys() - {"p7"}


def test_what_was_claimed_when_ctrl_c_was_pressed_comes_back_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, 5)
    asked = world.rebuild_queue("first").request()
    world.rebuild_queue("first").advance()
    with monkeypatch.context() as patch:
        patch.setattr(world.index, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            world.rebuild_queue("first").advance()
    work(world.rebuild_queue("second"))
    assert world.rebuild_queue().get(asked.id).state == "done"


def test_while_the_embedder_is_away_it_waits_with_the_reason_and_goes_on(world: World) -> None:
    fill(world, 5)
    world.change_embedder(64)
    queue = world.rebuild_queue()
    asked = queue.request()
    queue.advance()
    world.embedder.off = True
    with pytest.raises(EmbedderUnavailableError):
        work(queue)
    waiting = queue.get(asked.id)
    assert (waiting.state, waiting.reason, waiting.written) == ("running", "switched off", 0)
    world.embedder.off = False
    work(queue)
    done = queue.get(asked.id)
    assert (done.state, done.reason) == ("done", "the embedder has changed: restart `auskunft serve`")
    assert world.served() == world.wanted()


def test_while_the_index_is_away_it_waits_and_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()

    def away(_generation: int, _updates: list[Update]) -> list[WriteResult]:
        raise IndexUnavailableError("gone for a walk")

    with monkeypatch.context() as patch:
        patch.setattr(world.index, "write", away)
        with pytest.raises(IndexUnavailableError):
            work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).reason == "gone for a walk"
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"
    assert world.served() == world.wanted()


def test_a_page_store_that_restarts_does_not_end_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()

    def away(_generation: int, _updates: list[Update]) -> list[WriteResult]:
        raise PageStoreUnavailableError("it restarts")

    with monkeypatch.context() as patch:
        patch.setattr(world.index, "write", away)
        with pytest.raises(PageStoreUnavailableError):
            work(world.rebuild_queue())
    work(world.rebuild_queue())
    assert world.rebuild_queue().get(asked.id).state == "done"


@with_elasticsearch
def test_a_generation_that_is_gone_ends_it(world: World) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()
    world.index.drop(2)
    work(world.rebuild_queue())
    ended = world.rebuild_queue().get(asked.id)
    assert (ended.state, ended.reason) == ("failed", "generation 2, which was being built, is gone")
    assert world.builds.current() is None
    assert world.states() == ["live"]


def test_a_worker_with_other_settings_takes_no_part(world: World) -> None:
    fill(world, 5)
    asked = world.rebuild_queue().request()
    world.rebuild_queue().advance()
    world.change_embedder(64)
    work(world.rebuild_queue())
    now = world.rebuild_queue().get(asked.id)
    assert (now.state, now.written) == ("running", 0)
    assert "different settings" in now.reason


def test_it_ends_early_where_somebody_waits_and_keeps_what_was_embedded(world: World) -> None:
    fill(world, 200)
    queue = world.rebuild_queue()
    asked = queue.request()
    queue.advance()
    assert queue.advance(lambda: True)
    assert queue.get(asked.id).written == 1
    work(queue)
    assert queue.get(asked.id).state == "done"


@with_elasticsearch
def test_one_source_is_written_again_in_place(world: World) -> None:
    fill(world, 5)
    queue = world.rebuild_queue()
    asked = queue.request("town")
    queue.advance()
    running = queue.get(asked.id)
    assert (running.state, running.written, running.pages) == ("running", 0, 5)
    world.drain()
    queue.advance()
    done = queue.get(asked.id)
    assert (done.state, done.written, done.failed) == ("done", 5, 0)
    assert world.states() == ["live"]


def test_one_source_cannot_change_the_embedder(world: World) -> None:
    fill(world, 5)
    world.change_embedder(64)
    asked = world.rebuild_queue().request("town")
    work(world.rebuild_queue())
    ended = world.rebuild_queue().get(asked.id)
    assert ended.state == "failed"
    assert "without --source" in ended.reason


def test_pages_wake_somebody(world: World) -> None:
    fill(world, 5)
    world.woken.clear()
    world.rebuild_queue().request()
    world.rebuild_queue().advance()
    assert world.woken == [1, 5]


@with_postgresql
def test_only_the_last_ones_are_remembered(world: World) -> None:
    for _ in range(22):
        world.rebuild_queue().cancel(world.rebuild_queue().request().id)
        work(world.rebuild_queue())
    assert len(world.rebuild_queue().all()) == 20
    assert world.rebuild_queue().all()[0].requested_at <= datetime.now(UTC)
