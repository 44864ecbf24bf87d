"""What is remembered of pulls, in every database."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine, update

from app.errors import ConflictError
from app.pages.crawl_notes import Look, Note
from app.pages.database import open_engine
from app.pages.pull_tables import crawled
from app.pages.pulls import FATAL_TIME, ListedPage, Pull, PullLog
from app.pages.store import PageStore
from ingest.fetching.validators import Validators
from ingest.types import PageRef, RawField, RawPage
from ingest.website.visits import Absent, Step, Trail
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> PageStore:
    return PageStore(engine, clock=clock)


@pytest.fixture
def log(engine: Engine, clock: Clock) -> PullLog:
    return PullLog(engine, clock, lease_seconds=100)


def ref(page_id: str, source: str = "town") -> PageRef:
    return PageRef(source=source, id=page_id, language="de")


def test_a_pull_is_remembered_with_its_end(log: PullLog, clock: Clock) -> None:
    log.begin("town", "w")
    begun = Pull(
        source="town", started_at=NOON, finished_at=None, complete_at=None, updated_after=None, problem=""
    )
    assert log.by_source() == {"town": begun}
    clock.advance(5)
    ended = NOON + timedelta(seconds=5)
    log.finish("town", "w", is_complete=True, updated_after=NOON)
    done = replace(begun, finished_at=ended, complete_at=ended, updated_after=NOON)
    assert log.by_source() == {"town": done}
    log.begin("town", "w")
    log.finish("town", "w", problem="no page\0 at all")
    again = replace(done, started_at=ended, problem="no page\ufffd at all")
    assert log.by_source() == {"town": again}


def test_one_worker_has_a_source_until_it_ends_or_is_silent_too_long(log: PullLog, clock: Clock) -> None:
    log.begin("town", "first")
    log.begin("village", "second")
    clock.advance(99)
    with pytest.raises(ConflictError, match="'town' has been pulled since 2026-11-21 12:00:00 UTC"):
        log.begin("town", "second")
    log.renew("town", "first")
    clock.advance(99)
    with pytest.raises(ConflictError):
        log.begin("town", "second")
    clock.advance(1)
    log.begin("town", "second")
    log.finish("town", "first", problem="late")
    with pytest.raises(ConflictError, match="taken over"):
        log.renew("town", "first")
    assert log.by_source()["town"].finished_at is None
    log.finish("town", "second")
    log.begin("town", "first")


def test_a_dead_worker_gives_up_its_pulls_alone(log: PullLog, store: PageStore) -> None:
    log.begin("town", "dead")
    log.begin("village", "alive")
    store.release("dead")
    log.begin("town", "other")
    with pytest.raises(ConflictError):
        log.begin("village", "other")


def test_pages_are_remembered_by_source_as_they_were_seen_last(log: PullLog) -> None:
    page = ListedPage(
        ref=ref("a"), taken=True, revision=7, updated=NOON, awaited_since=NOON, absences=2, vanished=True
    )
    other = ListedPage(ref=ref("a", "village"))
    log.save_listed([page, ListedPage(ref=ref("b")), other])
    log.save_listed([])
    log.save_listed([ListedPage(ref=ref("b"), revision=-(2**63))])
    assert log.listed_pages("town") == {ref("a"): page, ref("b"): ListedPage(ref=ref("b"), revision=-(2**63))}
    assert log.listed_pages("village") == {other.ref: other}


def test_versions_are_forgotten_of_one_source(log: PullLog) -> None:
    for source in ("town", "village"):
        log.begin(source, "w")
        log.finish(source, "w", is_complete=True, updated_after=NOON)
        log.save_listed([ListedPage(ref=ref("a", source), taken=True, revision=1, vanished=True)])
    log.forget_versions("town")
    assert [seen.taken for name in ("town", "village") for seen in log.listed_pages(name).values()] == [
        False,
        True,
    ]
    assert {name: pull.updated_after for name, pull in log.by_source().items()} == {
        "town": None,
        "village": NOON,
    }
    assert log.listed_pages("town")[ref("a")].vanished


def test_those_that_remember_pages_in_other_orders_do_not_wait_for_each_other_for_ever(log: PullLog) -> None:
    pages = [ListedPage(ref=ref(f"p{number}")) for number in range(200)]
    log.save_listed(pages)

    def work(number: int) -> None:
        for _ in range(5):
            if number == 0:
                log.forget_versions("town")
            log.save_listed(pages if number % 2 else reversed(pages))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(log.listed_pages("town")) == 200


def note(address: str, text: str = "") -> Note:
    """What a pull noted of a known page; with a ``text`` it is held."""
    content = RawField(text=text, media_type="text/plain")
    page = RawPage(ref=ref(address), document=address, url=address, fields={"content": content})
    return Note(
        step=Step(address=address, clicks=2, links=("/c",), words=3, digest="d", sketch=frozenset({1, 2})),
        is_known=True,
        look=Look(lost="gone", added=frozenset({"ä"})),
        page=page if text else None,
        validators=Validators(etag="e"),
    )


def keep(log: PullLog, *notes: Note, worker: str = "w", listing: Trail | None = None) -> None:
    log.note("town", worker, notes, listing=listing, done=len(notes), left=7, seconds=2.5)


def test_what_a_crawl_came_to_is_kept_until_its_pull_is_over(log: PullLog) -> None:
    log.begin("town", "w")
    keep(log, note("/a", "held"), note("/b"), listing=Trail(listed=("/a",), reasons={"why": 2}))
    absent = Note(step=Step(address="/b", absent=Absent(address="/b", why="gone")), failure=("invalid", "no"))
    keep(log, absent)
    log.finish("town", "w", left=7)
    trail, notes = log.noted("town")
    assert (trail.listed, trail.reasons) == (("/a",), {"why": 2})
    assert sorted(notes, key=lambda each: each.step.address) == [note("/a", "held"), absent]
    pull = log.by_source()["town"]
    assert (pull.done, pull.left, pull.seconds) == (1, 7, 5.0)
    log.begin("town", "w")
    assert log.by_source()["town"].left == 7
    log.finish("town", "w")
    assert log.noted("town") == (Trail(), [])
    pull = log.by_source()["town"]
    assert (pull.done, pull.left, pull.seconds) == (0, 0, 0.0)


def die_with(log: PullLog, store: PageStore, address: str) -> None:
    """A worker begins to read a page, and ends."""
    log.begin("town", "dead")
    log.renew("town", "dead", begun=address)
    store.release("dead")


def test_a_page_is_fatal_that_two_workers_ended_with_until_a_week_is_over(
    log: PullLog, store: PageStore, clock: Clock
) -> None:
    for address in ("/a", "/b", "/a"):
        assert log.skipped_pages("town") == frozenset()
        die_with(log, store, address)
    log.begin("town", "w")
    assert (log.skipped_pages("town"), log.skipped_pages("village")) == (frozenset({"/a"}), frozenset())
    log.finish("town", "w")
    die_with(log, store, "/b")  # what it did in a pull that is over does not count
    log.begin("town", "w")
    log.finish("town", "w")
    assert log.skipped_pages("town") == {"/a"}
    clock.advance(FATAL_TIME.total_seconds())
    assert log.skipped_pages("town") == frozenset()


def test_a_page_that_was_read_ended_nobody(log: PullLog, store: PageStore) -> None:
    for _ in range(3):
        log.begin("town", "dead")
        log.renew("town", "dead", begun="/a")
        log.renew("town", "dead")
        store.release("dead")
        log.begin("town", "w")
        log.renew("town", "w", begun="/a")
        log.finish("town", "w", left=1)
    assert log.skipped_pages("town") == frozenset()


def test_a_person_may_have_fatal_pages_read_again(log: PullLog, store: PageStore) -> None:
    for _ in range(2):
        die_with(log, store, "/a")
    log.begin("town", "w")
    log.forget_versions("town")
    assert log.skipped_pages("town") == frozenset()


def test_one_who_lost_a_source_notes_nothing(log: PullLog, clock: Clock) -> None:
    log.begin("town", "first")
    clock.advance(100)
    log.begin("town", "second")
    with pytest.raises(ConflictError, match="taken over"):
        keep(log, note("/a"), worker="first")
    keep(log, note("/b"), worker="second")
    log.finish("town", "first")
    assert [each.step.address for each in log.noted("town")[1]] == ["/b"]


def test_a_note_that_is_damaged_has_its_address_visited_again(log: PullLog, engine: Engine) -> None:
    log.begin("town", "w")
    keep(log, note("/a"), note("/b"), listing=Trail(listed=()))
    with engine.begin() as connection:
        connection.execute(update(crawled).where(crawled.c.address != "/b").values(note=b"damaged"))
    assert log.noted("town") == (Trail(steps=(note("/b").step,)), [note("/b")])
    log.forget_versions("town")
    assert log.noted("town") == (Trail(), [])
