"""Messages of a CMS: taken once each, with a job for every page they touch."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from app.errors import ConflictError, InputError, NotFoundError
from app.pages.deliveries import Deliveries
from app.pages.jobs import KEPT
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Delivery, Failed, Indexed, JobDocument, Waiting
from ingest.types import Change
from tests.contracts.page_store.helpers import NOON, Clock, claim_one, index
from tests.contracts.raw_pages import delete, ref, save


def delivery(message_id: str = "m1", digest: str = "d") -> Delivery:
    return Delivery(source="town", id=message_id, digest=digest)


def send(deliveries: Deliveries, *changes: Change, message_id: str = "m1") -> list[JobDocument]:
    return deliveries.accept(delivery(message_id), changes)


def now(deliveries: Deliveries, job: JobDocument) -> tuple[str, str]:
    known = deliveries.job(job.id)
    return known.status, known.reason


def test_every_page_a_message_touches_becomes_a_job_in_order(
    store: PageStore, deliveries: Deliveries
) -> None:
    store.accept([save("known", revision=3), save("gone", language="de"), save("gone", language="en")])
    jobs = send(
        deliveries,
        save("new"),
        save("known", revision=2),
        save("known", revision=3),
        delete("gone", language=None),
    )
    assert [(job.page, job.language, job.status) for job in jobs] == [
        ("new", "de", "queued"),
        ("known", "de", "superseded"),
        ("known", "de", "unchanged"),
        ("gone", "de", "queued"),
        ("gone", "en", "queued"),
    ]
    assert [job.finished_at for job in jobs] == [None, NOON, NOON, None, None]
    assert {job.accepted_at for job in jobs} == {NOON}
    assert len({job.id for job in jobs}) == 5


def test_a_message_is_accepted_once_and_answered_alike_ever_after(
    store: PageStore, deliveries: Deliveries
) -> None:
    jobs = send(deliveries, save("a"), save("b"))
    index(store)
    assert send(deliveries, save("a"), save("b")) == jobs
    assert store.watermark() == 2
    other = deliveries.accept(Delivery(source="village", id="m1", digest="d"), [save("a", "new")])
    assert [job.status for job in other] == ["queued"]


def test_another_message_with_the_same_id_is_refused_not_lost(
    page_list: PageList, deliveries: Deliveries
) -> None:
    send(deliveries, save())
    with pytest.raises(ConflictError, match="'m1'"):
        deliveries.accept(delivery(digest="other"), [save("other")])
    assert [row.ref.id for row in page_list.records()] == ["p"]


def test_ten_threads_with_the_same_message_have_one_effect_and_all_get_the_answer(
    store: PageStore, deliveries: Deliveries
) -> None:
    barrier = threading.Barrier(10)

    def deliver(_: int) -> list[JobDocument]:
        barrier.wait()
        return send(deliveries, save("a"), save("b"))

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(deliver, range(10)))
    assert answers == [answers[0]] * 10
    assert [job.status for job in answers[0]] == ["queued", "queued"]
    assert store.watermark() == 2


def test_a_message_that_is_refused_leaves_nothing_and_may_come_again(
    page_list: PageList, deliveries: Deliveries
) -> None:
    with pytest.raises(InputError):
        send(deliveries, save("a"), save("b", revision=2**63))
    assert list(page_list.records()) == []
    assert [job.status for job in send(deliveries, save("a"))] == ["queued"]


def test_a_job_goes_from_the_queue_over_its_worker_to_the_index(
    store: PageStore, clock: Clock, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, save())
    assert now(deliveries, job) == ("queued", "")
    claim = claim_one(store)
    assert now(deliveries, job) == ("running", "")
    clock.advance(5)
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert now(deliveries, job) == ("indexed", "")
    assert deliveries.job(job.id).finished_at == NOON + timedelta(seconds=5)


def test_a_job_that_waits_or_failed_says_why(store: PageStore, clock: Clock, deliveries: Deliveries) -> None:
    [job] = send(deliveries, save())
    store.finish(
        [(ref(), claim_one(store).sequence, Waiting(reason="embedder_unavailable", seconds=10))], "w"
    )
    assert now(deliveries, job) == ("waiting", "embedder_unavailable")
    clock.advance(10)
    store.finish([(ref(), claim_one(store).sequence, Failed(reason="too_large", message="cut it"))], "w")
    assert now(deliveries, job) == ("failed", "too_large: cut it")
    assert deliveries.job(job.id).finished_at == NOON + timedelta(seconds=10)


def test_a_page_that_kills_its_workers_ends_its_job(
    store: PageStore, clock: Clock, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, save())
    while store.claim(1, "w"):
        store.release("w")
    status, reason = now(deliveries, job)
    assert (status, reason.partition(":")[0]) == ("failed", "poison")
    assert deliveries.job(job.id).finished_at == NOON


def test_a_job_overtaken_by_a_newer_version_ends_with_it(store: PageStore, deliveries: Deliveries) -> None:
    [first] = send(deliveries, save(text="1"))
    index(store)
    [second] = send(deliveries, save(text="2"), message_id="m2")
    [third] = send(deliveries, save(text="3"), message_id="m3")
    assert [now(deliveries, job)[0] for job in (first, second, third)] == ["indexed", "queued", "queued"]
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Failed(reason="invalid", message="no"))], "w")
    assert [now(deliveries, job)[0] for job in (first, second, third)] == ["indexed", "superseded", "failed"]
    [fourth] = send(deliveries, save(text="4"), message_id="m4")
    index(store)
    assert {now(deliveries, job) for job in (first, second, third, fourth)} == {("indexed", "")}


def test_a_job_of_an_excluded_page_says_that_it_is_not_shown(
    store: PageStore, deliveries: Deliveries
) -> None:
    store.accept([save()])
    store.exclude("town", "p")
    [job] = send(deliveries, save(text="new"))
    index(store)
    status, reason = now(deliveries, job)
    assert (status, reason.partition(":")[0]) == ("indexed", "excluded")


def test_a_warning_stays_with_its_job(store: PageStore, deliveries: Deliveries) -> None:
    store.accept([delete(revision=5)])
    [job] = send(deliveries, save(revision=5))
    assert "republish" in job.reason
    assert now(deliveries, job) == ("superseded", job.reason)


def test_deleting_a_page_that_nobody_knows_is_a_job_without_language(
    store: PageStore, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, delete("unknown", language=None, revision=5))
    assert (job.page, job.language, job.status) == ("unknown", None, "unchanged")
    assert now(deliveries, job) == ("unchanged", job.reason)
    [late] = send(deliveries, save("unknown", revision=4, language="fr"), message_id="m2")
    assert (late.status, now(deliveries, late)[0]) == ("superseded", "superseded")
    assert store.pending() == 0


def test_a_delete_in_all_languages_counts_for_languages_that_come_later(store: PageStore) -> None:
    store.accept([save(revision=1), save("q", revision=1)])
    store.accept([delete(language=None, revision=5), delete("q", language=None)])
    late = [save(revision=4, language="fr"), save("q", revision=0, language="fr")]
    assert [item.status for item in store.accept(late)] == ["superseded", "accepted"]
    store.accept([delete(language=None, revision=7), delete(language=None, revision=6)])
    again = [save(revision=7, language="it"), save(revision=8, language="it")]
    assert [item.status for item in store.accept(again)] == ["superseded", "accepted"]


def test_jobs_and_messages_are_forgotten_after_a_while(clock: Clock, deliveries: Deliveries) -> None:
    [job] = send(deliveries, save())
    clock.advance(KEPT.total_seconds())
    deliveries.delete_expired()
    assert deliveries.job(job.id).page == "p"
    assert send(deliveries, save()) == [job]
    clock.advance(1)
    deliveries.delete_expired()
    with pytest.raises(NotFoundError, match="older than 30 days"):
        deliveries.job(job.id)
    assert [item.status for item in send(deliveries, save())] == ["unchanged"]


def test_any_number_of_messages_is_forgotten(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, deliveries: Deliveries
) -> None:
    monkeypatch.setattr("app.pages.jobs.FORGOTTEN_AT_ONCE", 3)
    old = [
        job for n in range(4) for job in send(deliveries, save("a", f"{n}"), save("b"), message_id=f"m{n}")
    ]
    clock.advance(KEPT.total_seconds() + 1)
    [kept] = send(deliveries, save("c"), message_id="new")
    deliveries.delete_expired()
    for job in old:
        with pytest.raises(NotFoundError):
            deliveries.job(job.id)
    assert deliveries.job(kept.id).page == "c"
    assert send(deliveries, save("a", "again"), message_id="m0")[0].status == "queued"


def test_the_languages_of_a_page_come_with_their_states(store: PageStore, page_list: PageList) -> None:
    store.accept([save(), save("q")])
    index(store)
    store.accept([save(language="en")])
    rows = page_list.languages_of("town", "p")
    assert [(row.ref.language, row.state) for row in rows] == [("de", "indexed"), ("en", "pending")]
    assert rows[0].indexed_at == NOON
    assert page_list.languages_of("town", "nothing") == []
