"""Contexts of chunks: what is known, which pages lack some, who works on them."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from app.features.contexts.feature import CONTEXT_TOKENS
from app.features.contexts.store import KEPT, MAX_TRIES, POISON, ContextStore, KnownContext, PageContexts
from app.features.contexts.tables import CLAIMS
from app.pages.counters import Counters
from app.pages.store import PageStore
from app.pages.types import Indexed, Waiting
from ingest.types import PageRef
from tests.contracts.page_store.helpers import Clock, index, state
from tests.contracts.raw_pages import delete, ref, save

TOKENS = {(CONTEXT_TOKENS, "s", "prompt"): 100.0}


@pytest.fixture
def store(engine: Engine, clock: Clock) -> PageStore:
    return PageStore(engine, clock=clock, held=lambda: [CLAIMS])


@pytest.fixture
def contexts(engine: Engine, clock: Clock) -> ContextStore:
    return ContextStore(engine, clock, lease_seconds=60)


def noted(
    page_ref: PageRef, *keys: str, sequence: int = 1, written: int = 0, failed: int = 0
) -> PageContexts:
    return PageContexts(
        ref=page_ref, sequence=sequence, recipe="r", keys=keys, written=written, failed=failed, bytes=1_000
    )


def indexed(store: PageStore, *names: str) -> list[int]:
    """Save and index pages; their sequences."""
    accepted = store.accept([save(name) for name in names])
    index(store)
    return [each.sequence for each in accepted]


def test_a_context_that_was_written_is_known(contexts: ContextStore) -> None:
    assert contexts.known(["a", "b"]) == {}
    contexts.write(ref(), "a", "On dogs.", {})
    assert contexts.known(["a", "b"]) == {"a": KnownContext(text="On dogs.", tries=0)}


def test_tries_in_vain_are_counted_until_it_is_not_asked_for_any_more(contexts: ContextStore) -> None:
    assert [contexts.fail(ref(), "a", "empty", {}) for _ in range(MAX_TRIES)] == [*range(1, MAX_TRIES + 1)]
    assert contexts.known(["a"])["a"].is_failed
    contexts.write(ref(), "a", "On dogs.", {})
    assert not contexts.known(["a"])["a"].is_failed


def test_a_page_is_claimed_once_it_is_at_rest_and_while_it_lacks_contexts(
    store: PageStore, contexts: ContextStore
) -> None:
    store.accept([save("a"), save("b")])
    contexts.note([noted(ref("a"), "x"), noted(ref("b"), "y", written=1)])
    assert (contexts.is_due(), contexts.claim(9, "w")) == (False, [])
    index(store)
    assert contexts.is_due()
    assert contexts.claim(9, "w") == [ref("a")]
    assert contexts.claim(9, "another") == []


def test_a_complete_page_is_indexed_again_and_due_until_that_is_noted(
    store: PageStore, contexts: ContextStore
) -> None:
    [sequence] = indexed(store, "a")
    contexts.note([noted(ref("a"), "x", sequence=sequence)])
    contexts.claim(9, "w")
    contexts.write(ref("a"), "x", "On dogs.", {})
    contexts.complete(ref("a"), "w")
    [claim] = store.claim(9, "indexer")
    assert claim.sequence == sequence, "it is the same version"
    assert contexts.claim(9, "w") == []
    store.finish([(claim.ref, claim.sequence, Indexed())], "indexer")
    assert contexts.claim(9, "w") == [ref("a")], "an indexer that noted nothing had not seen the context"
    contexts.note([noted(ref("a"), "x", sequence=sequence, written=1)])
    assert not contexts.is_due()


def test_pages_to_be_indexed_again_come_after_all_others_and_count_as_indexed_for_who_sent_them(
    store: PageStore, contexts: ContextStore
) -> None:
    [sequence] = indexed(store, "old")
    contexts.note([noted(ref("old"), "x", sequence=sequence)])
    contexts.claim(9, "w")
    contexts.complete(ref("old"), "w")
    store.accept([save("new")])
    assert [each.ref.id for each in store.claim(9, "indexer")] == ["new"]
    assert [each.ref.id for each in store.claim(9, "indexer")] == ["old"]
    assert not store.is_due(0)


def test_a_page_saved_meanwhile_is_not_made_due_twice(store: PageStore, contexts: ContextStore) -> None:
    [sequence] = indexed(store, "a")
    contexts.note([noted(ref("a"), "x", sequence=sequence)])
    contexts.claim(9, "w")
    store.accept([save("a", text="changed")], priority=1)
    contexts.complete(ref("a"), "w")
    [claim] = store.claim(9, "indexer")
    assert (claim.priority, state(store, ref("a"))) == (1, "pending")


def test_what_is_noted_of_an_earlier_version_changes_nothing(contexts: ContextStore) -> None:
    contexts.note([noted(ref(), "x", "y", sequence=7)])
    contexts.note([noted(ref(), "x", sequence=6, written=1)])
    [counts] = contexts.counts()
    assert (counts.chunks, counts.written, counts.due) == (2, 0, 1)


def test_removed_and_deleted_pages_lack_nothing(store: PageStore, contexts: ContextStore) -> None:
    one, two = indexed(store, "a", "b")
    contexts.note([noted(ref("a"), "x", sequence=one), noted(ref("b"), "y", sequence=two)])
    store.accept([delete("a")])
    index(store)
    store.exclude(ref().source, "b")
    index(store)
    assert contexts.claim(9, "w") == []
    contexts.note([], [ref("a"), ref("b")])
    assert contexts.counts() == []


def test_a_page_that_waits_comes_back_later_and_its_attempt_does_not_count(
    store: PageStore, contexts: ContextStore, clock: Clock
) -> None:
    [sequence] = indexed(store, "a")
    contexts.note([noted(ref("a"), "x", sequence=sequence)])
    for _ in range(9):
        assert contexts.claim(9, "w") == [ref("a")]
        contexts.wait([ref("a")], Waiting(reason="away", seconds=30), "w")
        assert contexts.claim(9, "w") == []
        clock.advance(31)


def test_a_page_that_kills_its_workers_is_given_up_and_can_be_retried(
    store: PageStore, contexts: ContextStore, clock: Clock
) -> None:
    [sequence] = indexed(store, "a")
    contexts.note([noted(ref("a"), "x", sequence=sequence)])
    for _ in range(5):
        assert contexts.claim(9, "w") == [ref("a")]
        clock.advance(61)
    assert contexts.claim(9, "w") == []
    [counts] = contexts.counts()
    assert (counts.failed, counts.due) == (1, 0)
    assert POISON
    assert contexts.retry() == 1
    assert contexts.claim(9, "w") == [ref("a")]


def test_the_claims_of_a_dead_worker_are_released(store: PageStore, contexts: ContextStore) -> None:
    [sequence] = indexed(store, "a")
    contexts.note([noted(ref("a"), "x", sequence=sequence)])
    contexts.claim(9, "dead")
    store.release("dead")
    assert contexts.claim(9, "w") == [ref("a")]


def test_what_failed_is_counted_with_its_reasons_and_retried_on_demand(contexts: ContextStore) -> None:
    for name in ("a", "b"):
        contexts.note([noted(ref(name), f"{name}1", f"{name}2")])
        for _ in range(MAX_TRIES):
            contexts.fail(ref(name), f"{name}1", "refusal", {})
    [counts] = contexts.counts()
    assert (counts.pages, counts.chunks, counts.failed, counts.missing) == (2, 4, 2, 2)
    assert contexts.reasons() == {ref().source: {"refusal": 2}}
    assert contexts.retry("another") == 0
    assert contexts.retry(ref().source) == 2
    assert (contexts.counts()[0].failed, contexts.reasons()) == (0, {})


def test_the_counts_tell_what_has_to_be_read_and_what_is_of_another_model(contexts: ContextStore) -> None:
    contexts.note([noted(ref("a"), "1", "2"), replace(noted(ref("b"), "3", "4", written=1), recipe="old")])
    [counts] = contexts.counts(["r"], bytes_read=400)
    assert (counts.missing_bytes, counts.outdated) == (3 * 400, 1)


def test_an_outage_is_noted_from_its_beginning_and_ends_with_the_next_context(
    contexts: ContextStore, clock: Clock
) -> None:
    began = clock.now
    contexts.note_outage("refused")
    clock.advance(60)
    contexts.note_outage("timeout")
    outage = contexts.outage()
    assert outage is not None
    assert (outage.since, outage.reason) == (began, "timeout")
    contexts.write(ref(), "a", "On dogs.", {})
    assert contexts.outage() is None


def test_what_a_context_took_is_counted_with_it(contexts: ContextStore, engine: Engine) -> None:
    contexts.write(ref(), "a", "On dogs.", TOKENS)
    contexts.fail(ref(), "b", "empty", TOKENS)
    assert Counters(engine).value((CONTEXT_TOKENS, "s", "prompt")) == 200


def test_contexts_are_kept_while_a_page_uses_them_and_for_a_while_after(
    contexts: ContextStore, clock: Clock
) -> None:
    for key in ("used", "edited away", "of a page that is gone"):
        contexts.write(ref("gone" if "gone" in key else "a"), key, "On dogs.", {})
    contexts.note([noted(ref("a"), "used", "edited away", sequence=1, written=2)])
    contexts.note([noted(ref("gone"), "of a page that is gone", sequence=2, written=1)])
    contexts.note([noted(ref("a"), "used", sequence=3, written=1)], [ref("gone")])
    assert contexts.prune() == 0
    clock.advance(KEPT.total_seconds() + 1)
    assert contexts.prune() == 2
    assert contexts.known(["used", "edited away", "of a page that is gone"]).keys() == {"used"}


def test_pages_that_wait_to_be_indexed_with_all_their_contexts_are_listed(
    store: PageStore, contexts: ContextStore
) -> None:
    one, two = indexed(store, "a", "b")
    contexts.note([noted(ref("a"), "x", sequence=one), noted(ref("b"), "y", "z", sequence=two)])
    contexts.write(ref("a"), "x", "On dogs.", {})
    contexts.write(ref("b"), "y", "On cats.", {})
    assert contexts.complete_pages() == [ref("a")]
