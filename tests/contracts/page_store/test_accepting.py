"""What a page store makes of saves."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from app.errors import InputError
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Failed, Waiting
from ingest.types import RawField, RawPage, Save
from tests.contracts.page_store.helpers import NOON, claim_one, index, state, statuses
from tests.contracts.raw_pages import page, ref, save


def test_a_page_comes_out_of_a_claim_as_it_went_in(store: PageStore) -> None:
    vienna = datetime.fromisoformat("2026-03-01T08:00:00.123456+01:00")
    sent = RawPage(
        ref=ref("straße/ä?x=1", "und"),
        document="doc",
        url="https://town.example/ä",
        fields={
            "title": RawField(text="<b>Bad\ud800\0</b>", media_type="text/html"),
            "content": RawField(text="😀 \r\n", media_type="text/markdown"),
        },
        revision=2**62,
        updated=vienna,
        publish_from=vienna,
        publish_until=vienna + timedelta(days=1000),
        kind="notice",
        metadata={"celex": "32024R1689"},
    )
    store.accept([Save(page=sent)])
    claim = claim_one(store)
    assert claim.page == sent
    assert (claim.ref, claim.sequence, claim.attempts) == (sent.ref, 1, 1)


def test_sequences_rise_across_pages_batches_and_sources(store: PageStore) -> None:
    first = store.accept([save("a"), save("b")])
    second = store.accept([save("a", "new"), Save(page=page("a", source="village"))])
    assert [item.sequence for item in [*first, *second]] == [1, 2, 3, 4]


def test_a_batch_is_committed_whole_or_not_at_all(store: PageStore, page_list: PageList) -> None:
    with pytest.raises(InputError, match="63 bits"):
        store.accept([save("a"), save("b", revision=2**63)])
    assert list(page_list.records()) == []


@pytest.mark.parametrize(
    "changed",
    [
        page(text="other"),
        page(publish_from=NOON),
        page(publish_until=NOON),
        page(document="other"),
    ],
)
def test_whatever_the_index_or_the_reader_sees_makes_another_version(
    store: PageStore, changed: RawPage
) -> None:
    assert statuses(store, save(), save(), Save(page=changed)) == ["accepted", "unchanged", "accepted"]


def test_revision_3_before_2_keeps_3(store: PageStore) -> None:
    assert statuses(store, save(text="three", revision=3)) == ["accepted"]
    assert statuses(store, save(text="two", revision=2)) == ["superseded"]
    claimed = claim_one(store).page
    assert claimed is not None
    assert (claimed.revision, claimed.fields["content"].text) == (3, "three")


def test_a_late_revision_stays_out_after_one_came_with_known_content(store: PageStore) -> None:
    store.accept([save(text="now")])
    assert statuses(store, save(text="now", revision=5)) == ["unchanged"]
    assert statuses(store, save(text="old", revision=4)) == ["superseded"]


def test_ten_threads_sending_the_same_event_get_one_accepted(store: PageStore) -> None:
    barrier = threading.Barrier(10)

    def send(_: int) -> str:
        barrier.wait()
        return statuses(store, save(revision=1))[0]

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(send, range(10))) == ["accepted"] + ["unchanged"] * 9


def test_sequences_rise_without_gaps_when_threads_accept_at_once(store: PageStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        accepted = pool.map(lambda n: store.accept([save(f"p{n}"), save(f"p{n}", "again")]), range(40))
        assert sorted(item.sequence for batch in accepted for item in batch) == list(range(1, 81))


def test_an_unchanged_page_that_failed_is_accepted_again_with_all_its_attempts(store: PageStore) -> None:
    store.accept([save()])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Failed(reason="timeout", message="too slow"))], "w")
    assert (state(store), store.pending()) == ("failed", 0)
    assert [(a.status, a.sequence) for a in store.accept([save()])] == [("accepted", 1)]
    assert state(store) == "pending"
    assert claim_one(store).attempts == 1


def test_an_unchanged_page_that_waits_is_due_at_once(store: PageStore) -> None:
    store.accept([save()])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Waiting(reason="embedder_unavailable", seconds=60))], "w")
    assert statuses(store, save()) == ["unchanged"]
    assert (state(store), claim_one(store).sequence) == ("pending", 1)


def test_an_unchanged_indexed_page_is_not_queued(store: PageStore) -> None:
    store.accept([save()])
    index(store)
    assert statuses(store, save()) == ["unchanged"]
    assert (store.claim(1, "w"), state(store)) == ([], "indexed")


def test_asking_once_more_does_not_take_a_page_from_its_worker(store: PageStore) -> None:
    store.accept([save()])
    claim_one(store, "first")
    store.accept([save()])
    assert store.claim(1, "second") == []


def test_ten_megabytes_go_through(store: PageStore) -> None:
    text = "<p>Grüße</p>" * 900_000
    store.accept([save(text=text)])
    claimed = claim_one(store).page
    assert claimed is not None
    assert claimed.fields["content"].text == text
