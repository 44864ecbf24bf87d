"""Contexts are written in the background, each once, and pages are indexed again with them."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from app.errors import ModelError
from app.features.contexts.feature import CONTEXT_TOKENS, CONTEXTS
from app.features.contexts.store import MAX_TRIES
from app.pages.counters import Counters
from app.pages.workers import WorkerRegistry
from ingest.types import Delete
from tests.app.features.contexts.scripted import USAGE, document_of, passage_of, writes_contexts
from tests.app.features.contexts.scriptorium import SENTENCE, TEXT, Scriptorium
from tests.fakes.llm import FakeLlm, Reply, refusing_url

SORRY = Reply(deltas=("I'm sorry, but I cannot help with that request.",))


def test_every_chunk_gets_a_context_and_its_page_is_indexed_with_it(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    scriptorium.save("a", "b")
    complete = scriptorium.write()
    assert sorted(each.id for each in complete) == ["a", "b"]
    assert len(llm.requests) == len(scriptorium.chunks("a")) + len(scriptorium.chunks("b"))
    assert scriptorium.chunks("a")[0].context.startswith(
        "Dog tax a › Amount\nFrom the page Dog tax a, on Amount"
    )
    assert scriptorium.are_embedded("a")
    assert scriptorium.are_embedded("b")
    assert scriptorium.world.store.pending() == 0
    assert not scriptorium.world.context_store.is_due()


def test_the_version_in_the_index_stays_the_same(scriptorium: Scriptorium) -> None:
    scriptorium.save("a")
    before = scriptorium.world.served()
    scriptorium.write()
    assert scriptorium.world.served() == before


def test_what_was_written_is_never_asked_for_again(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    scriptorium.save("a")
    scriptorium.write()
    asked = len(llm.requests)
    scriptorium.world.store.requeue("town")
    scriptorium.world.drain()
    scriptorium.world.rebuilder.build()
    assert scriptorium.write() == []
    assert len(llm.requests) == asked
    assert scriptorium.are_embedded("a")


def test_a_changed_page_is_asked_for_its_changed_chunks_alone(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    scriptorium.save("a", text=TEXT)
    scriptorium.write()
    asked = len(llm.requests)
    scriptorium.save("a", text=TEXT[: -len(SENTENCE)] + SENTENCE.replace("spring", "autumn"))
    scriptorium.write()
    assert 1 <= len(llm.requests) - asked <= 2
    assert all("autumn" in document_of(request) for request in llm.requests[asked:])
    assert scriptorium.are_embedded("a")


def test_the_first_chunk_of_a_document_is_asked_for_alone(llm: FakeLlm, scriptorium: Scriptorium) -> None:
    together, first = Event(), Event()

    def answer(request: dict[str, object]) -> Reply:
        if "## Amount" in passage_of(request):
            assert not together.wait(0.3), "another was asked for meanwhile"
            first.set()
        else:
            together.set()
            assert first.is_set()
        return writes_contexts(request)

    llm.answer = answer
    scriptorium.save("a")
    scriptorium.write()
    assert together.is_set()
    assert scriptorium.are_embedded("a")


def test_a_page_edited_meanwhile_is_written_for_as_it_is_then(llm: FakeLlm, scriptorium: Scriptorium) -> None:
    edited = TEXT.replace("spring", "winter")

    def edits(request: dict[str, object]) -> Reply:
        llm.answer = writes_contexts
        scriptorium.save("a", text=edited)
        return writes_contexts(request)

    llm.answer = edits
    scriptorium.save("a")
    scriptorium.write()
    assert scriptorium.are_embedded("a")
    assert "winter" in scriptorium.chunks("a")[0].text


def test_a_page_deleted_meanwhile_stays_deleted(llm: FakeLlm, scriptorium: Scriptorium) -> None:
    def deletes(request: dict[str, object]) -> Reply:
        scriptorium.world.store.accept([Delete(source="town", id="a")])
        scriptorium.world.drain()
        return writes_contexts(request)

    llm.answer = deletes
    scriptorium.save("a")
    scriptorium.write()
    assert scriptorium.world.served() == {}
    assert scriptorium.world.context_store.counts() == []
    assert scriptorium.world.store.pending() == 0


def test_two_workers_never_ask_twice_for_a_chunk(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    names = [f"p{number}" for number in range(6)]
    scriptorium.save(*names)
    others = WorkerRegistry(scriptorium.folder / "workers")
    writers = [scriptorium.new_writer(), scriptorium.new_writer(workers=others)]

    def write(number: int) -> None:
        while writers[number].run_once() is not None:
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(2)))
    asked = [(document_of(request), passage_of(request)) for request in llm.requests]
    assert len(asked) == len(set(asked)) == 6 * len(scriptorium.chunks("p0"))
    others.close()


def test_a_wrong_reply_is_tried_again_and_then_the_chunk_keeps_its_headings(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    scriptorium.save("a")
    llm.answer = lambda request: SORRY if "## Amount" in passage_of(request) else writes_contexts(request)
    scriptorium.write()
    refused = [request for request in llm.requests if "## Amount" in passage_of(request)]
    [counts] = scriptorium.world.context_store.counts()
    assert len(refused) == MAX_TRIES
    assert (counts.failed, counts.missing, counts.due) == (1, 0, 0)
    assert scriptorium.world.context_store.reasons() == {"town": {"refusal": 1}}
    assert scriptorium.chunks("a")[0].context == "Dog tax a › Amount"
    llm.answer = writes_contexts
    assert scriptorium.world.context_store.retry() == 1
    scriptorium.write()
    assert scriptorium.are_embedded("a")


def test_while_the_model_is_away_headings_serve_and_when_it_is_back_contexts_replace_them(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    scriptorium.base_url = refusing_url()
    scriptorium.writer = scriptorium.new_writer()
    scriptorium.save("a")
    for _ in range(MAX_TRIES + 4):
        with pytest.raises(ModelError, match="cannot be reached"):
            scriptorium.write()
    outage = scriptorium.world.context_store.outage()
    assert outage is not None
    assert "cannot be reached" in outage.reason
    assert scriptorium.chunks("a")[0].context == "Dog tax a › Amount"
    scriptorium.base_url = llm.base_url
    scriptorium.writer = scriptorium.new_writer()
    scriptorium.write()
    assert scriptorium.are_embedded("a")
    assert scriptorium.world.context_store.outage() is None
    assert scriptorium.world.context_store.counts()[0].failed == 0


def test_a_server_that_hangs_is_away_and_costs_no_chunk_its_tries(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    scriptorium.writer = scriptorium.new_writer(seconds=0.2)
    scriptorium.save("a")
    llm.answer = lambda _request: Reply(silent=True)
    for _ in range(2):
        with pytest.raises(ModelError, match="in time"):
            scriptorium.write()
    llm.answer = writes_contexts
    scriptorium.writer = scriptorium.new_writer()
    scriptorium.write()
    assert scriptorium.are_embedded("a")


def test_a_chunk_that_alone_is_refused_fails_in_the_end(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    scriptorium.save("a")
    llm.answer = lambda request: (
        Reply(status=413) if "## Amount" in passage_of(request) else writes_contexts(request)
    )
    scriptorium.write()
    assert scriptorium.world.context_store.reasons() == {"town": {"HTTP 413": 1}}
    assert scriptorium.chunks("a")[0].context == "Dog tax a › Amount"
    assert scriptorium.chunks("a")[2].context.count("\n") == 1


def test_what_it_took_is_counted_by_source(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    scriptorium.save("a")
    scriptorium.write()
    amounts = Counters(scriptorium.world.engine).read()
    found = [amounts[CONTEXT_TOKENS, "town", kind] for kind in ("prompt", "cached", "output")]
    assert found == [each * len(llm.requests) for each in USAGE]
    assert amounts[CONTEXTS, "town", "written"] == len(llm.requests)


def test_what_an_endpoint_does_not_tell_is_estimated(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    llm.answer = lambda request: Reply(deltas=writes_contexts(request).deltas)
    scriptorium.save("a")
    scriptorium.write()
    amounts = Counters(scriptorium.world.engine).read()
    assert amounts[CONTEXT_TOKENS, "town", "prompt"] > 300 * len(llm.requests)


def test_no_more_is_asked_for_on_a_day_than_its_tokens(scriptorium: Scriptorium, llm: FakeLlm) -> None:
    scriptorium.writer = scriptorium.new_writer(parallel=1, daily_tokens=2_000)
    scriptorium.save("a", "b")
    scriptorium.write()
    assert len(llm.requests) == 2
    assert scriptorium.writer.is_limited()


def test_a_stop_cancels_what_is_under_way_and_the_next_run_asks_for_the_rest(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    llm.answer = lambda request: (
        writes_contexts(request) if "## Amount" in passage_of(request) else Reply(stall_at=0)
    )
    scriptorium.save("a")
    scriptorium.writer.run_once(lambda: len(llm.requests) > 1)
    assert llm.hung_up.wait(5)
    asked = len(llm.requests)
    llm.answer = writes_contexts
    scriptorium.write()
    assert scriptorium.are_embedded("a")
    assert not any("## Amount" in passage_of(request) for request in llm.requests[asked:])


def test_a_fault_hands_the_pages_back(
    scriptorium: Scriptorium, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    scriptorium.save("a")
    with monkeypatch.context() as patch:
        patch.setattr(scriptorium.world.context_store, "write", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            scriptorium.writer.run_once()
    scriptorium.write()
    assert scriptorium.are_embedded("a")


def test_a_source_that_wants_no_contexts_any_more_is_left_alone(
    scriptorium: Scriptorium, llm: FakeLlm
) -> None:
    scriptorium.save("a")
    scriptorium.world.contexts.wanted = lambda _source: False
    assert scriptorium.write() == []
    assert llm.requests == []
    assert scriptorium.world.context_store.claim(1, "w") == []
