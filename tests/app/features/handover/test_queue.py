"""Messages wait until they are sent, are sent once, and are gone on their day."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import Engine

from app.errors import InputError, NotFoundError
from app.features.handover.queue import HandoverQueue, new_number, wait_after
from app.features.handover.tables import LEASES
from app.pages.audit import AuditLog
from app.pages.database import connect, migrate_schema, open_engine, sqlite_url, writing
from tests.services.databases import empty_database

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LEASE = 300


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        engine = open_engine(sqlite_url(tmp_path / "pages.sqlite"))
        yield engine
        engine.dispose()
        return
    with empty_database(request.getfixturevalue("postgresql")) as url:
        engine = connect(url)
        migrate_schema(engine)
        yield engine
        engine.dispose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(engine: Engine, clock: Clock) -> HandoverQueue:
    return HandoverQueue(engine, clock)


def add(queue: HandoverQueue, key: str = "key", days: int = 30) -> str:
    return queue.add("town", key, NOON + timedelta(days=days), lambda number: f"content of {number}").number


def test_a_number_can_be_read_out_and_is_not_guessed() -> None:
    numbers = {new_number() for _ in range(500)}
    assert len(numbers) == 500
    assert all(len(each) == 7 and each[3] == "-" and not set(each) & set("01OIL") for each in numbers)


def test_a_form_that_is_sent_again_makes_no_second_message(queue: HandoverQueue) -> None:
    assert add(queue) == add(queue)
    assert add(queue, "another") != add(queue)
    assert len(queue.entries()) == 2


def test_forms_that_are_sent_at_once_make_one_message(queue: HandoverQueue) -> None:
    together = Barrier(4)

    def sends(_: int) -> str:
        together.wait()
        return add(queue)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(sends, range(4)))) == 1


def test_a_form_of_another_site_is_not_found(queue: HandoverQueue) -> None:
    number = add(queue)
    assert queue.sent_by("town", "key") is not None
    assert queue.sent_by("other", "key") is None
    other = queue.add("other", "key", NOON + timedelta(days=1), lambda _number: "")
    assert (other.site, other.number != number) == ("other", True)


def test_of_two_workers_one_gets_a_message_until_its_lease_is_over(
    queue: HandoverQueue, clock: Clock
) -> None:
    number = add(queue)
    taken = queue.take("one", LEASE)
    assert taken is not None and (taken.number, taken.attempts) == (number, 1)
    assert queue.take("two", LEASE) is None
    assert not queue.is_due()
    clock.now += timedelta(seconds=LEASE)
    again = queue.take("two", LEASE)
    assert again is not None and again.attempts == 2
    queue.finish(number, "one")  # it does not have it any more
    assert queue.one(number).state == "waiting"


def test_what_a_dead_worker_held_is_taken_by_another_at_once(queue: HandoverQueue, engine: Engine) -> None:
    add(queue)
    queue.take("dead", LEASE)
    with writing(engine) as connection:
        LEASES.release_dead(connection, "dead")
    assert queue.take("alive", LEASE) is not None


def test_what_it_says_is_erased_once_it_is_sent(queue: HandoverQueue) -> None:
    number = add(queue)
    queue.take("one", LEASE)
    queue.finish(number, "one")
    found = queue.one(number)
    assert (found.state, found.content, found.sent_at) == ("sent", "", NOON)
    assert queue.take("one", LEASE) is None


def test_a_failure_has_it_wait_longer_each_time_up_to_an_hour(queue: HandoverQueue, clock: Clock) -> None:
    number = add(queue)
    for minutes in (1, 2, 4, 8, 16, 32, 60, 60):
        taken = queue.take("one", LEASE)
        assert taken is not None
        queue.postpone(taken, "one", "the mail server answers 451")
        clock.now += timedelta(minutes=minutes, seconds=-1)
        assert not queue.is_due()
        clock.now += timedelta(seconds=1)
        assert queue.is_due()
    found = queue.one(number)
    assert (found.state, found.problem) == ("failing", "the mail server answers 451")
    assert found.failing_since == NOON
    assert queue.backlog() == (1, NOON)
    assert wait_after(10_000) == timedelta(hours=1)


def test_a_person_has_it_sent_at_once_and_that_is_recorded(queue: HandoverQueue, engine: Engine) -> None:
    number = add(queue)
    taken = queue.take("one", LEASE)
    assert taken is not None
    queue.postpone(taken, "one", "broken")
    assert not queue.is_due()
    queue.retry(number, "ada")
    assert queue.is_due()
    [entry] = AuditLog(engine).entries()
    assert (entry.actor, entry.action, entry.target) == ("ada", "handover.retry", f"handover/{number}")
    assert "content" not in str(entry)


def test_a_message_that_is_sent_is_not_sent_again(queue: HandoverQueue, engine: Engine) -> None:
    number = add(queue)
    assert queue.take("one", LEASE) is not None
    queue.finish(number, "one")
    with pytest.raises(InputError, match="has already been sent"):
        queue.retry(number, "ada")
    assert not AuditLog(engine).entries()


def test_on_its_day_everything_is_deleted_and_what_was_never_sent_is_told(
    queue: HandoverQueue, clock: Clock
) -> None:
    kept, sent, lost = add(queue, "a", days=2), add(queue, "b", days=1), add(queue, "c", days=1)
    while (taken := queue.take("one", LEASE)) is not None:
        if taken.number == sent:
            queue.finish(sent, "one")
    clock.now += timedelta(days=1)
    assert [each.number for each in queue.expire()] == [lost]
    assert [each.number for each in queue.entries()] == [kept]


def test_what_is_not_there_can_neither_be_read_nor_deleted(queue: HandoverQueue) -> None:
    for act in (
        queue.one,
        lambda number: queue.retry(number, "ada"),
        lambda number: queue.delete(number, "a"),
    ):
        with pytest.raises(NotFoundError, match="there is no hand-over 'AAA-AAA'"):
            act("AAA-AAA")
