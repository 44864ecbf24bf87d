"""Store to index: what is accepted ends up served, whatever fails on the way."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from app.errors import DataFolderError, EmbedderUnavailableError, PageError, PageStoreUnavailableError
from app.indexing.progress import Progress
from app.pages.types import Failed, Indexed, Outcome, Waiting
from app.queue.tasks import INTERACTIVE_PRIORITY
from ingest.types import Delete, FieldName, PageRef, RawPage, Save, Vectors
from tests.fakes.world import World, markdown, raw_page

INTERRUPTED = Waiting(reason="interrupted", seconds=0)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty installation."""
    world = World(tmp_path)
    yield world
    world.close()


def served(world: World) -> dict[str, int]:
    """The index's pages with their sequences."""
    return {ref.id: sequence for ref, sequence in world.index.refs(1)}


def test_saved_pages_are_served_at_their_sequence_and_settled(world: World) -> None:
    accepted = world.store.accept([Save(page=raw_page(name, {"content": name})) for name in "ab"])
    synced = world.indexer.sync_pages()
    assert [item.outcome for item in synced] == [Indexed(), Indexed()]
    assert served(world) == {item.ref.id: item.sequence for item in accepted}
    assert world.store.pending() == 0
    assert world.indexer.sync_pages() == []


def test_a_deleted_page_leaves_the_index(world: World) -> None:
    world.save(raw_page("a", {"content": "text"}))
    world.store.accept([Delete(source="town", id="a")])
    world.drain()
    assert served(world) == {}


def test_a_page_saved_during_its_indexing_is_indexed_again(world: World) -> None:
    world.store.accept([Save(page=raw_page("a", {"content": "old"}))])
    claims = world.store.claim(1, "another worker")
    newer = world.store.accept([Save(page=raw_page("a", {"content": "new"}))])[0]
    world.store.finish([(claims[0].ref, claims[0].sequence, Indexed())], "another worker")
    assert world.store.pending() == 1
    world.drain()
    assert served(world) == {"a": newer.sequence}
    assert world.index.pages([newer.ref])[0].fields == {"content": "new"}


def test_one_pages_error_stops_no_other_page(world: World) -> None:
    def convert(raw: RawPage) -> dict[FieldName, str]:
        if raw.ref.id == "bad":
            raise PageError("timeout", "took too long")
        return markdown(raw)

    world.pipeline._convert = convert
    world.store.accept([Save(page=raw_page(name, {"content": name})) for name in ("a", "bad", "b")])
    outcomes = {item.ref.id: item.outcome for item in world.indexer.sync_pages()}
    assert outcomes == {
        "a": Indexed(),
        "bad": Failed(reason="timeout", message="took too long"),
        "b": Indexed(),
    }
    assert [row.reason for row in world.page_list.records(state="failed")] == ["timeout: took too long"]


def test_a_page_without_text_and_one_with_too_many_chunks_fail_with_their_reason(world: World) -> None:
    world.pipeline._max_chunks = 3
    pages = [raw_page("empty", {"content": "  "}), raw_page("long", {"content": "x" * 512 * 4})]
    world.store.accept([Save(page=page) for page in pages])
    reasons = {
        i.ref.id: i.outcome.reason for i in world.indexer.sync_pages() if isinstance(i.outcome, Failed)
    }
    assert reasons == {"empty": "empty", "long": "too_large"}


def test_pages_wait_while_the_disk_is_full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])

    def refuse(*_arguments: object) -> None:
        raise DataFolderError("the disk is full")

    monkeypatch.setattr(world.index, "write", refuse)
    for _ in range(6):
        with pytest.raises(DataFolderError):
            world.indexer.sync_pages()
    monkeypatch.undo()
    assert world.store.counts() == {"waiting": 1}
    world.drain()
    assert world.served() == world.wanted()


def test_pages_wait_while_the_embedder_is_away_and_go_on_by_themselves(world: World) -> None:
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    world.embedder.off = True
    for _ in range(7):  # more often than the attempts that make a page poison
        with pytest.raises(EmbedderUnavailableError):
            world.indexer.sync_pages()
    assert [row.state for row in world.page_list.records()] == ["waiting"]
    world.embedder.off = False
    world.drain()
    assert served(world).keys() == {"a"}


def test_a_page_that_takes_all_memory_fails_and_holds_no_other_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = world.embedder.embed_documents

    def exhausted(texts: Sequence[str]) -> Vectors:
        if any("bad" in text for text in texts):
            raise MemoryError
        return embed(texts)

    monkeypatch.setattr(world.embedder, "embed_documents", exhausted)
    world.store.accept([Save(page=raw_page(name, {"content": name})) for name in ("a", "bad", "c")])
    tried = []
    while world.store.pending():
        with suppress(MemoryError):
            tried.append([item.ref.id for item in world.indexer.sync_pages()])
    assert tried == [["a"], ["c"], []]
    assert served(world).keys() == {"a", "c"}
    [row] = world.page_list.records(state="failed")
    assert (row.ref.id, row.reason.partition(":")[0]) == ("bad", "poison")


def test_what_came_of_pages_is_told_again_once_the_page_store_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.store.accept([Save(page=raw_page(name, {"content": name})) for name in "ab"])

    def refuse(*_arguments: object) -> None:
        raise PageStoreUnavailableError("it restarts")

    monkeypatch.setattr(world.store, "finish", refuse)
    for _ in range(2):
        with pytest.raises(PageStoreUnavailableError):
            world.indexer.sync_pages()
    monkeypatch.undo()
    assert world.indexer.sync_pages() == []
    assert world.store.counts() == {"indexed": 2}
    assert len(world.embedder.embedded) == 2


def test_unchanged_text_is_never_embedded_twice(world: World) -> None:
    text = " ".join(f"word{n}" for n in range(600))
    world.save(raw_page("a", {"content": text}))
    first = len(world.embedder.embedded)
    world.save(raw_page("copy", {"content": text}))
    assert len(world.embedder.embedded) == first


def test_an_edit_that_moves_nothing_embeds_only_its_window(world: World) -> None:
    words = [f"word{n:04}" for n in range(600)]
    world.save(raw_page("a", {"content": " ".join(words)}))
    world.embedder.embedded.clear()
    words[480] = "changed!"  # as long as before, in the middle of a core
    world.save(raw_page("a", {"content": " ".join(words)}))
    assert ["changed!" in text for text in world.embedder.embedded] == [True]


def test_a_long_page_is_handed_back_uncounted_and_goes_on_where_it_stopped(world: World) -> None:
    text = " ".join(f"word{n:04}" for n in range(7_000))
    world.store.accept([Save(page=raw_page("long", {"content": text}))])
    embedded = []
    for _ in range(124):  # more often than the attempts that make a page poison
        [synced] = world.indexer.sync_pages(stop=lambda: True)
        embedded.append(len(world.embedder.embedded))
        if synced.outcome == Indexed():
            break
    assert embedded[-2:] == [124, 124]
    assert embedded[:-1] == sorted(set(embedded))
    assert served(world).keys() == {"long"}


def test_pages_that_are_not_begun_in_time_are_handed_back(world: World) -> None:
    world.store.accept([Save(page=raw_page(name, {"content": name})) for name in "abc"])
    outcomes = [item.outcome for item in world.indexer.sync_pages(stop=lambda: True)]
    assert outcomes == [INTERRUPTED] * 3
    assert len(world.embedder.embedded) == 1
    world.drain()
    assert served(world).keys() == {"a", "b", "c"}


def save_meanwhile(world: World, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    """An editor saves this page while the first chunks are embedded."""
    embed = world.embedder.embed_documents

    def save_and_embed(texts: Sequence[str]) -> Vectors:
        monkeypatch.undo()
        world.store.accept([Save(page=raw_page(name, {"content": text}))], priority=INTERACTIVE_PRIORITY)
        return embed(texts)

    monkeypatch.setattr(world.embedder, "embed_documents", save_and_embed)


def synced(world: World, refs: Sequence[PageRef] | None = None) -> list[tuple[str, Outcome]]:
    """The pages of one claim with their outcomes."""
    return [(item.ref.id, item.outcome) for item in world.indexer.sync_pages(refs=refs)]


def test_a_page_saved_during_an_import_comes_before_the_rest_of_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.store.accept([Save(page=raw_page(name, {"content": name})) for name in "ab"])
    save_meanwhile(world, monkeypatch, "saved", "news")
    assert synced(world) == [("a", INTERRUPTED), ("b", INTERRUPTED)]
    assert synced(world) == [("saved", Indexed())]
    assert synced(world) == [("a", Indexed()), ("b", Indexed())]
    assert len(world.embedder.embedded) == 3


def test_a_page_that_was_just_imported_and_is_saved_does_not_wait_for_the_rest_of_its_claim(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [item.ref for item in world.store.accept([Save(page=raw_page(n, {"content": n})) for n in "abc"])]
    save_meanwhile(world, monkeypatch, "b", "news")
    assert [outcome for _, outcome in synced(world, refs)] == [INTERRUPTED] * 3
    assert synced(world) == [("b", Indexed())]
    assert world.index.pages([refs[1]])[0].fields == {"content": "news"}


def test_an_import_that_may_not_take_the_saved_page_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [item.ref for item in world.store.accept([Save(page=raw_page(n, {"content": n})) for n in "ab"])]
    save_meanwhile(world, monkeypatch, "saved", "news")
    assert synced(world, refs) == [("a", Indexed()), ("b", Indexed())]


def test_a_page_that_somebody_waits_for_is_not_interrupted_for_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Save(page=raw_page("a", {"content": "a"}))
    world.store.accept([page], priority=INTERACTIVE_PRIORITY)
    save_meanwhile(world, monkeypatch, "saved", "news")
    assert synced(world) == [("a", Indexed())]
    assert synced(world) == [("saved", Indexed())]


def test_the_claims_of_a_dead_worker_are_taken_back_at_once(world: World, tmp_path: Path) -> None:
    world.store.accept([Save(page=raw_page("a", {"content": "text"}))])
    lock = tmp_path / "workers" / "0123456789abcdef0123456789abcdef.lock"
    lock.touch()
    world.store.claim(1, lock.stem)
    world.drain()
    assert served(world).keys() == {"a"}


def test_pages_are_settled_whoever_claimed_them(world: World, tmp_path: Path) -> None:
    refs = [item.ref for item in world.store.accept([Save(page=raw_page(n, {"content": n})) for n in "abc"])]
    lock = tmp_path / "workers" / "0123456789abcdef0123456789abcdef.lock"
    lock.touch()
    world.store.claim(1, lock.stem, [refs[0]])
    [claim] = world.store.claim(1, "another", [refs[1]])
    calls: list[Progress] = []

    def progress(progress: Progress) -> None:
        calls.append(progress)
        world.store.finish([(claim.ref, claim.sequence, Indexed())], "another")

    outcomes = world.indexer.settle_pages(refs, progress)
    assert outcomes == {refs[0]: Indexed(), refs[2]: Indexed()}
    assert (calls[-1].done, calls[-1].total, calls[-1].chunks) == (3, 3, 2)
    assert world.store.counts() == {"indexed": 3}


def test_vectors_of_the_index_are_those_of_the_chunks(world: World) -> None:
    built = world.pipeline.build(raw_page("a", {"title": "T", "content": "x y z " * 300}), 1)
    expected = world.embedder.embed_documents([chunk.embedded_text for chunk in built.chunks])
    assert np.array_equal(built.vectors, expected)
