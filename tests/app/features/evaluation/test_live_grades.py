"""What is kept of answers for their grades, and the grades, in every database."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from app.chat.conversations import Conversations
from app.chat.feedback import Feedback
from app.features.evaluation.feature import LIVE_ANSWERS
from app.features.evaluation.live_grades import LEASES, LiveGrades
from app.pages.counters import Counters
from app.pages.database import open_engine, reading
from app.pages.question_tables import live_grades
from app.pages.store import PageStore
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock

DAY = NOON.date()
LATER = NOON + timedelta(days=1)
COUNTED = {(LIVE_ANSWERS, "town", "graded"): 1.0}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(new_database: NewDatabase) -> Engine:
    return open_engine(new_database())


@pytest.fixture
def kept(engine: Engine, clock: Clock) -> Conversations:
    return Conversations(engine, clock)


@pytest.fixture
def stored(engine: Engine) -> LiveGrades:
    return LiveGrades(engine, ("answered",))


def answered(kept: Conversations, question: str, status: str = "answered", **more: Any) -> str:
    begun = kept.begin("town", question)
    kept.finish(begun.answer, {"answer": "A.", "status": status, **more}, ["Pool\n\nAt nine."])
    return begun.answer


def rows(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(select(func.count()).select_from(live_grades)).scalar_one())


def hold(stored: LiveGrades, worker: str, day: date = DAY, now: datetime = LATER) -> bool:
    return stored.hold(day, worker, now, now + timedelta(minutes=5))


def test_the_sample_of_a_day_stays_the_same_and_has_answers_of_that_day_alone(
    kept: Conversations, stored: LiveGrades, clock: Clock
) -> None:
    for number in range(6):
        answered(kept, f"Q{number}?")
    answered(kept, "Refused?", "no_answer")
    clock.advance(86_400)
    answered(kept, "Tomorrow?")
    drawn = stored.waiting(DAY, 4)
    assert len(drawn) == 4
    assert drawn == stored.waiting(DAY, 4)
    assert {each.question for each in stored.waiting(DAY, 100)} == {f"Q{number}?" for number in range(6)}
    assert (drawn[0].context, drawn[0].site, drawn[0].number) == (["Pool\n\nAt nine."], "town", 0)
    stored.add(drawn[0].id, "{}", COUNTED)
    assert stored.waiting(DAY, 4) == drawn[1:], "no other answer takes the place of a graded one"


def test_a_grade_is_kept_once_with_what_the_visitor_said(
    kept: Conversations, stored: LiveGrades, engine: Engine, clock: Clock
) -> None:
    answer = answered(kept, "Q?")
    Feedback(engine, clock).give("town", answer, "down")
    for grade in ('{"judge": "one"}', '{"judge": "two"}'):
        stored.add(answer, grade, COUNTED)
    [graded] = stored.since(DAY)
    assert (graded.grade, graded.rating, graded.asked_at) == ({"judge": "one"}, "down", NOON)
    assert stored.since(DAY + timedelta(days=1)) == []
    assert Counters(engine).value((LIVE_ANSWERS, "town", "graded")) == 1
    assert '"A."' in stored.documents([answer])[answer]


def test_a_grade_is_deleted_with_its_question_and_none_comes_after_it(
    kept: Conversations, stored: LiveGrades, engine: Engine, clock: Clock
) -> None:
    deleted, old = answered(kept, "Q?"), answered(kept, "Old?")
    for answer in (deleted, old):
        stored.add(answer, "{}", {})
    kept.delete("town", kept.answer("town", deleted).conversation)
    assert rows(engine) == 1
    clock.advance(86_400)
    kept.expire({}, timedelta(hours=1))
    assert rows(engine) == 0
    stored.add(deleted, "{}", COUNTED)
    assert (rows(engine), Counters(engine).value((LIVE_ANSWERS, "town", "graded"))) == (0, 0)


def test_what_a_model_read_is_kept_only_where_it_is_wanted_and_until_its_day_is_graded(
    kept: Conversations, stored: LiveGrades, engine: Engine
) -> None:
    kept.finish(kept.begin("town", "Plain?").answer, {"answer": "A.", "status": "answered"})
    kept.finish("deleted meanwhile", {"answer": "A.", "status": "answered"}, ["Pool"])
    assert rows(engine) == 0
    graded, _ = answered(kept, "Graded?"), answered(kept, "Not drawn?")
    stored.add(graded, "{}", {})
    assert hold(stored, "one")
    stored.finish(DAY, "one")
    assert [each.id for each in stored.since(DAY)] == [graded]
    with reading(engine) as connection:
        assert connection.execute(select(live_grades.c.context)).scalars().all() == ["[]"]


def test_one_worker_at_a_time_grades_a_day_until_it_is_done(stored: LiveGrades, engine: Engine) -> None:
    assert stored.is_due(DAY, LATER)
    assert hold(stored, "one")
    assert not stored.is_due(DAY, LATER)
    assert not hold(stored, "two")
    assert hold(stored, "two", now=LATER + timedelta(hours=1)), "one has been silent for too long"
    PageStore(engine, held=lambda: [LEASES]).release("two")
    assert hold(stored, "three")
    stored.finish(DAY, "one")
    assert not hold(stored, "one"), "who has lost the lease ends nothing"
    stored.finish(DAY, "three")
    assert not hold(stored, "one")
    assert not stored.is_due(DAY, LATER)
    assert hold(stored, "one", day=DAY + timedelta(days=1))
