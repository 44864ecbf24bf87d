"""Who got the letter of which week, on every database."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.errors import NotFoundError
from app.features.letter.ledger import WAIT, Ledger
from app.pages.database import open_engine
from tests.contracts.conftest import NewDatabase, new_database
from tests.contracts.page_store.helpers import Clock

__all__ = ["new_database"]

ADA = "ada@town.example"
FIRST, SECOND = "2026-11-23", "2026-11-30"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(new_database: NewDatabase, clock: Clock) -> Ledger:
    return Ledger(open_engine(new_database()), clock)


def test_a_week_can_be_begun_once_by_one_of_many(ledger: Ledger) -> None:
    key = ledger.state(ADA).key
    with ThreadPoolExecutor(4) as pool:
        begun = list(pool.map(lambda _: ledger.begin(ADA, FIRST), range(8)))
    assert begun.count(True) == 1
    assert not ledger.begin(ADA.upper(), FIRST) and ledger.begin(ADA, SECOND)
    assert not ledger.begin(ADA, FIRST)
    assert ledger.state(ADA).key == key


def test_what_is_postponed_is_due_after_a_while(ledger: Ledger, clock: Clock) -> None:
    assert ledger.due([ADA], FIRST) == [ADA]
    ledger.state(ADA)
    ledger.begin(ADA, FIRST)
    ledger.postpone(ADA, "away")
    assert ledger.due([ADA], FIRST) == [] and ledger.problems([ADA]) == ["away"]
    clock.advance(WAIT.total_seconds())
    assert ledger.due([ADA], FIRST) == [ADA]
    assert ledger.begin(ADA, FIRST)
    ledger.finish(ADA, is_sent=True)
    assert ledger.due([ADA], FIRST) == [] and ledger.problems([ADA]) == []
    assert ledger.state(ADA).sent_at == clock.now


def test_what_failed_is_no_problem_once_the_letter_is_stopped(ledger: Ledger) -> None:
    key = ledger.state(ADA).key
    ledger.begin(ADA, FIRST)
    ledger.postpone(ADA, "away")
    ledger.stop(key)
    assert ledger.problems([ADA]) == []


def test_a_key_that_cannot_be_stored_is_unknown(ledger: Ledger) -> None:
    with pytest.raises(NotFoundError):
        ledger.is_stopped("\0")


def test_it_is_stopped_by_its_key_for_good_until_it_is_wanted_again(ledger: Ledger) -> None:
    key = ledger.state(ADA).key
    ledger.stop(key)
    ledger.stop(key)
    assert ledger.is_stopped(key) and not ledger.begin(ADA, FIRST) and ledger.due([ADA], FIRST) == []
    ledger.forget([], FIRST)
    assert ledger.is_stopped(key)
    ledger.stop(key, stopped=False)
    assert ledger.begin(ADA, FIRST)
    ledger.forget([], FIRST)
    assert not ledger.begin(ADA, FIRST)  # it is known all week who got a letter
    ledger.forget([], SECOND)
    with pytest.raises(NotFoundError):
        ledger.stop(key)
