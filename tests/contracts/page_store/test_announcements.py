"""Pages that were announced without their fields: fetched once, in order, and ended by what is newer."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from sqlalchemy import Engine

from app.pages.announcements import Announcements
from app.pages.backlog import read_backlog
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import (
    Announcement,
    AnnouncementClaim,
    Delivery,
    Failed,
    JobDocument,
    PageState,
    RejectionDocument,
    Waiting,
)
from ingest.types import Change
from tests.contracts.page_store.helpers import NOON, Clock, index
from tests.contracts.raw_pages import delete, page, ref, save

NOT_THERE = Waiting(reason="not_there_yet", seconds=10)
AWAY = Waiting(reason="source_unavailable", seconds=30)
NO_PAGE = Failed(reason="invalid", message="no page at its address")

_ids = count()


@pytest.fixture
def queue(engine: Engine, clock: Clock) -> Announcements:
    """The announcements of the page store."""
    return Announcements(engine, clock, lease_seconds=100)


def announce(
    page_id: str = "p",
    revision: int | None = None,
    *,
    language: str = "de",
    source: str = "town",
    republish: bool = False,
) -> Announcement:
    return Announcement(ref=ref(page_id, language, source), revision=revision, republish=republish)


def send(deliveries: Deliveries, *changes: Change | Announcement, priority: int = 10) -> list[JobDocument]:
    delivery = Delivery(source="town", id=f"m{next(_ids)}", digest="d")
    return deliveries.accept(delivery, changes, priority=priority)


def now(deliveries: Deliveries, *jobs: JobDocument) -> list[str]:
    """The statuses of jobs, with reasons if they have any."""
    known = [deliveries.job(job.id) for job in jobs]
    return [f"{job.status}({job.reason})" if job.reason else job.status for job in known]


def claim_one(queue: Announcements, worker: str = "w") -> AnnouncementClaim:
    claim = queue.claim(worker)
    assert claim is not None
    return claim


def fetch(queue: Announcements, text: str = "text", revision: int | None = None) -> str:
    """Fetch the page that is due, in this version; its id."""
    claim = claim_one(queue)
    found = page(claim.ref.id, text, revision=revision, language=claim.ref.language, source=claim.ref.source)
    queue.accept(claim, found, "w")
    return claim.ref.id


def text(store: PageStore) -> str | None:
    """The content of page ``p``; ``None`` if it is deleted."""
    [stored] = store.read([ref()])
    return stored.page.fields["content"].text if stored.page else None


def test_an_announced_page_is_fetched_accepted_and_its_job_continues_to_the_index(
    store: PageStore, queue: Announcements, clock: Clock, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, announce(revision=7))
    assert (job.status, job.page, job.language, store.pending()) == ("queued", "p", "de", 1)
    claim = claim_one(queue)
    assert (claim.ref, claim.revision, claim.announced_at) == (ref(), 7, NOON)
    assert now(deliveries, job) == ["running"]
    clock.advance(5)
    queue.accept(claim, page(revision=7), "w")
    assert (now(deliveries, job), store.pending(), queue.claim("w")) == (["queued"], 1, None)
    index(store)
    assert (now(deliveries, job), store.pending()) == (["indexed"], 0)
    assert deliveries.job(job.id).finished_at == NOON + timedelta(seconds=5)


def test_an_announced_page_whose_time_is_damaged_is_listed_and_fetched(
    store: PageStore, queue: Announcements, engine: Engine, deliveries: Deliveries
) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL refuses it")
    send(deliveries, announce())
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE announcements SET announced_at = 'garbage'")
    assert [row.ref for row in queue.records()] == [ref()]
    assert fetch(queue)
    assert text(store) == "text"


def test_an_announced_page_that_is_as_it_was_is_unchanged(
    store: PageStore, queue: Announcements, clock: Clock, deliveries: Deliveries
) -> None:
    store.accept([save(revision=7)])
    index(store)
    [job] = send(deliveries, announce(revision=7))
    clock.advance(5)
    fetch(queue, revision=7)
    assert now(deliveries, job) == ["unchanged"]
    assert deliveries.job(job.id).finished_at == NOON + timedelta(seconds=5)


def test_a_repeated_message_gets_the_same_answer_whatever_became_of_its_page(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    message = Delivery(source="town", id="once", digest="d")
    first = deliveries.accept(message, [announce("a"), announce("b"), announce("c")])
    fetch(queue)
    queue.fail(claim_one(queue), NO_PAGE, "w")
    assert deliveries.accept(message, [announce("a"), announce("b"), announce("c")]) == first
    assert store.pending() == 2


def test_announcements_of_one_page_are_one_fetch_and_end_together(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    jobs = [job for revision in (5, 7, 7) for job in send(deliveries, announce(revision=revision))]
    assert store.pending() == 1
    assert claim_one(queue).revision == 7
    store.release("w")
    fetch(queue, revision=7)
    index(store)
    assert (now(deliveries, *jobs), queue.claim("w")) == (["indexed"] * 3, None)


def test_what_is_known_of_a_page_is_kept_until_its_file_is_fetched(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    def kept() -> str:
        record = claim_one(queue).record
        store.release("w")
        return record

    first, second = '{"file_url": "https://town.example/ä.pdf"}', '{"file_url": "https://town.example/b.pdf"}'
    send(deliveries, replace(announce(revision=5), record=first))
    assert kept() == first
    send(deliveries, replace(announce(revision=6), record=second))
    send(deliveries, replace(announce(revision=4), record=first))
    assert kept() == second
    send(deliveries, announce(revision=7))  # the page is asked for as a whole
    assert kept() == ""


def test_an_announcement_older_than_what_is_known_or_announced_is_not_fetched(
    queue: Announcements, deliveries: Deliveries
) -> None:
    send(deliveries, save("known", revision=5), delete("gone", 5), announce("announced", 5))
    jobs = send(
        deliveries,
        announce("known", 4),
        announce("gone", 4),
        announce("gone", 5),
        announce("announced", 4),
    )
    assert [job.status for job in jobs] == ["superseded"] * 4
    assert "republish" in jobs[2].reason
    assert (fetch(queue, revision=5), queue.claim("w")) == ("announced", None)


def test_an_announcement_without_a_revision_or_of_the_known_one_is_fetched(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    send(deliveries, save("a", revision=5), delete("b", 5), save("c", revision=5))
    jobs = send(deliveries, announce("a"), announce("b"), announce("c", 5))
    assert [fetch(queue, "new", 6) for _ in range(3)] == ["a", "b", "c"]
    index(store)
    assert now(deliveries, *jobs) == ["indexed"] * 3


def test_a_page_that_was_deleted_comes_back_if_it_is_republished(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    store.accept([delete(revision=5)])
    [job] = send(deliveries, announce(revision=3, republish=True))
    send(deliveries, announce(revision=3))
    fetch(queue, revision=3)
    index(store)
    assert (now(deliveries, job), text(store)) == (["indexed"], "text")


@pytest.mark.parametrize("revisions", [(5, 5), (5, 6), (5, None), (None, 5), (None, None)])
@pytest.mark.parametrize("language", ["de", None])
def test_a_delete_that_comes_later_wins_by_its_revision(
    store: PageStore,
    deliveries: Deliveries,
    queue: Announcements,
    revisions: tuple[int | None, int | None],
    language: str | None,
) -> None:
    announced, deleted = revisions
    [job] = send(deliveries, announce(revision=announced))
    claim = claim_one(queue)
    send(deliveries, delete(revision=deleted, language=language))
    assert now(deliveries, job) == ["superseded(a newer version had already arrived)"]
    queue.accept(claim, page(revision=announced), "w")
    index(store)
    assert (store.counts().get("indexed", 0), store.pending(), queue.claim("w")) == (0, 0, None)


def test_a_delete_of_an_older_revision_or_of_another_language_lets_the_page_be_fetched(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, announce(revision=5))
    send(deliveries, delete(revision=4), delete(revision=9, language="en"), delete("other", 9, language=None))
    fetch(queue, revision=5)
    index(store)
    assert (now(deliveries, job), text(store)) == (["indexed"], "text")


def test_a_save_with_fields_makes_fetching_its_revision_and_older_ones_needless(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    jobs = send(deliveries, announce("a", 5), announce("b", 5), announce("c", 5), announce("d"))
    send(deliveries, save("a", revision=5), save("b", revision=4), save("c"), save("d", revision=5))
    assert now(deliveries, jobs[0]) == ["queued"]
    assert [fetch(queue, revision=5) for _ in range(3)] == ["b", "c", "d"]
    assert queue.claim("w") is None
    index(store)
    assert now(deliveries, *jobs) == ["indexed", "indexed", "unchanged", "unchanged"]


def test_changes_and_announcements_of_one_message_count_in_their_order(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    jobs = send(
        deliveries,
        announce("a", 5),
        delete("a", 6, language=None),
        delete("b", 5),
        announce("b", 6),
        save("c", revision=1),
        announce("c", 2),
        save("c", revision=3),
    )
    assert [(job.page, job.status) for job in jobs] == [
        ("a", "queued"),
        ("b", "queued"),
        ("a", "unchanged"),
        ("b", "queued"),
        ("c", "queued"),
        ("c", "queued"),
        ("c", "queued"),
    ]
    assert fetch(queue, revision=6) == "b"
    assert queue.claim("w") is None
    index(store)
    assert [status.partition("(")[0] for status in now(deliveries, *jobs)] == [
        "superseded",
        "indexed",
        "unchanged",
        *["indexed"] * 4,
    ]


def test_a_page_that_is_announced_again_while_it_is_fetched_is_fetched_once_more(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    [first] = send(deliveries, announce())
    claim = claim_one(queue)
    [second] = send(deliveries, announce())
    queue.accept(claim, page(text="old"), "w")
    assert (text(store), store.pending(), now(deliveries, first, second)) == ("old", 2, ["queued"] * 2)
    fetch(queue, "new")
    index(store)
    assert (text(store), now(deliveries, first, second)) == ("new", ["indexed"] * 2)


@pytest.mark.parametrize("outcome", [NO_PAGE, NOT_THERE])
def test_what_was_announced_again_while_it_could_not_be_fetched_is_tried_at_once(
    queue: Announcements, outcome: Failed | Waiting, deliveries: Deliveries
) -> None:
    send(deliveries, announce(revision=5))
    claim = claim_one(queue)
    [job] = send(deliveries, announce(revision=6))
    if isinstance(outcome, Failed):
        queue.fail(claim, outcome, "w")
    else:
        queue.wait(claim, outcome, "w")
    fetch(queue, revision=6)
    assert now(deliveries, job) == ["queued"]


def test_a_page_that_is_not_there_waits_without_counting_attempts(
    queue: Announcements, clock: Clock, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, announce(revision=7))
    for _ in range(10):
        queue.wait(claim_one(queue), NOT_THERE, "w")
        clock.advance(9)
        assert (now(deliveries, job), queue.claim("w")) == (["waiting(not_there_yet)"], None)
        clock.advance(1)
    assert claim_one(queue).attempts == 1


def test_a_source_that_is_away_makes_all_its_pages_wait_and_no_others(
    queue: Announcements, clock: Clock, deliveries: Deliveries
) -> None:
    jobs = send(deliveries, announce("a"), announce("b"), announce("c", source="village"))
    queue.wait(claim_one(queue), AWAY, "w", whole_source=True)
    assert fetch(queue) == "c"
    assert queue.claim("w") is None
    assert now(deliveries, *jobs[:2]) == ["waiting(source_unavailable)"] * 2
    clock.advance(30)
    assert [fetch(queue), fetch(queue)] == ["a", "b"]


def test_a_page_that_cannot_be_fetched_fails_and_keeps_what_is_known(
    store: PageStore, queue: Announcements, clock: Clock, page_list: PageList, deliveries: Deliveries
) -> None:
    store.accept([save(revision=1)])
    index(store)
    [job] = send(deliveries, announce(revision=7))
    clock.advance(5)
    queue.fail(claim_one(queue), NO_PAGE, "w")
    assert now(deliveries, job) == ["failed(invalid: no page at its address)"]
    assert deliveries.job(job.id).finished_at == clock.now
    assert (store.counts(), store.pending(), text(store)) == ({"indexed": 1}, 0, "text")
    failure = RejectionDocument(
        source="town", document="p (de)", reason="invalid", message="no page at its address", at=clock.now
    )
    assert page_list.rejected("town") == [failure]
    send(deliveries, announce(revision=8))
    fetch(queue, revision=8)
    assert page_list.rejected("town") == []


def test_one_page_of_a_source_is_fetched_at_a_time_the_most_urgent_first(
    store: PageStore, queue: Announcements, clock: Clock, deliveries: Deliveries
) -> None:
    send(deliveries, announce("later"), priority=0)
    clock.advance(1)
    send(deliveries, announce("first"), announce("second"), announce("other", source="village"))
    claims = [claim_one(queue), claim_one(queue)]
    assert [claim.ref.id for claim in claims] == ["first", "other"]
    assert queue.claim("w") is None
    queue.accept(claims[0], page("first"), "w")
    assert [fetch(queue), fetch(queue)] == ["second", "later"]
    assert [claim.ref.id for claim in store.claim(10, "w")] == ["first", "second"]


def test_what_a_dead_worker_had_claimed_is_released_and_its_late_answer_does_not_count(
    store: PageStore, queue: Announcements, clock: Clock, page_list: PageList, deliveries: Deliveries
) -> None:
    send(deliveries, announce())
    dead = claim_one(queue, "dead")
    store.release("dead")
    assert claim_one(queue, "other").attempts == 2
    queue.accept(dead, page(), "dead")
    queue.fail(dead, NO_PAGE, "dead")
    queue.wait(dead, NOT_THERE, "dead")
    assert (list(page_list.records()), page_list.rejected(), store.pending()) == ([], [], 1)
    clock.advance(99)
    assert queue.claim("w") is None
    clock.advance(1)
    assert claim_one(queue).attempts == 3, "the lease has run out"


def test_a_page_that_kills_those_who_fetch_it_fails_and_may_be_announced_anew(
    store: PageStore, queue: Announcements, page_list: PageList, deliveries: Deliveries
) -> None:
    [job] = send(deliveries, announce("killer", 1))
    send(deliveries, announce("other"))
    for _ in range(5):
        assert claim_one(queue).ref.id in ("killer", "other")
        store.release("w")
    while queue.claim("w"):
        store.release("w")
    assert now(deliveries, job)[0].startswith("failed(poison: ")
    assert {item.reason for item in page_list.rejected()} == {"poison"}
    send(deliveries, announce("killer", 2))
    assert claim_one(queue).attempts == 1


def test_asking_again_does_not_clear_a_page_that_kills_unless_it_is_newer(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    send(deliveries, announce(revision=1))
    for revision, attempts in ((1, 1), (1, 2), (2, 1)):
        send(deliveries, announce(revision=revision))
        assert claim_one(queue).attempts == attempts
        store.release("w")


def test_the_languages_of_a_page_show_what_is_to_be_fetched(
    store: PageStore, queue: Announcements, page_list: PageList, deliveries: Deliveries
) -> None:
    store.accept([save(), save(language="fr")])
    index(store)
    send(deliveries, announce(language="en"), announce())
    queue.wait(claim_one(queue), NOT_THERE, "w")
    shown: list[tuple[str, PageState, str]] = [
        (row.ref.language, row.state, row.reason) for row in page_list.languages_of("town", "p")
    ]
    assert shown == [("de", "waiting", "not_there_yet"), ("en", "pending", ""), ("fr", "indexed", "")]
    send(deliveries, announce("q", source="village"))
    assert [(row.ref.id, row.ref.language, row.state) for row in queue.records()] == [
        ("p", "de", "waiting"),
        ("p", "en", "pending"),
        ("q", "de", "pending"),
    ]
    assert [row.ref.id for row in queue.records("village")] == ["q"]


def test_after_a_reset_whatever_is_at_the_address_will_do(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    send(deliveries, announce("a", 9), announce("b", 9, source="village"))
    store.reset_revisions("town")
    claims = [claim_one(queue), claim_one(queue)]
    assert [claim.revision for claim in claims] == [None, 9]


def test_messages_and_workers_at_once_end_with_every_page_as_it_was_announced_last(
    store: PageStore, queue: Announcements, deliveries: Deliveries
) -> None:
    ids = [f"p{number}" for number in range(5)]
    newest = dict.fromkeys(ids, 0)

    def announces(_: int) -> None:
        for revision in range(1, 13):
            for page_id in ids:
                newest[page_id] = max(newest[page_id], revision)
                send(deliveries, announce(page_id, revision))

    def fetches(worker: str) -> None:
        for _ in range(60):
            if claim := queue.claim(worker):
                found = newest[claim.ref.id]
                queue.accept(claim, page(claim.ref.id, f"text {found}", revision=found), worker)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(announces, seed) for seed in range(2)]
        done += [pool.submit(fetches, f"w{number}") for number in range(2)]
        for future in done:
            future.result()
    while claim := queue.claim("last"):
        queue.accept(claim, page(claim.ref.id, "text 12", revision=12), "last")
    contents = [stored.page for stored in store.read([ref(page_id) for page_id in ids])]
    assert [found.fields["content"].text for found in contents if found] == ["text 12"] * 5


def test_pages_that_have_to_be_fetched_are_in_the_backlog(
    queue: Announcements, clock: Clock, engine: Engine, deliveries: Deliveries
) -> None:
    send(deliveries, announce("a"), announce("b", source="village"), announce("c", source="city"))
    queue.wait(claim_one(queue), AWAY, "w")
    claim_one(queue)
    clock.advance(60)
    backlog = {each.state: each for each in read_backlog(engine, clock.now)}
    assert {state: each.pages for state, each in backlog.items()} == {"waiting": 1, "running": 1, "queued": 1}
    assert {(each.kind, each.since) for each in backlog.values()} == {("interactive", NOON)}
