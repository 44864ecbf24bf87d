"""What is kept of feedback, and the list of what was asked, in every database."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from app.chat.conversations import RUNNING_TIMEOUT, Conversations
from app.chat.feedback import Feedback
from app.chat.questions import READ_BATCH, UNANSWERED, Questions
from app.errors import InputError, NotFoundError
from app.pages.database import open_engine, reading
from app.pages.tables import feedback
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock


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
def given(engine: Engine, clock: Clock) -> Feedback:
    return Feedback(engine, clock)


@pytest.fixture
def questions(engine: Engine, clock: Clock) -> Questions:
    return Questions(engine, clock)


def answered(
    kept: Conversations, question: str, status: str = "answered", site: str = "town", **more: Any
) -> str:
    begun = kept.begin(site, question)
    document: Mapping[str, Any] = {"answer": "A.", "status": status, "sources": [], "citations": []}
    kept.finish(begun.answer, {**document, **more})
    return begun.answer


def asked(questions: Questions, **chosen: Any) -> list[str]:
    return [each.question for each in questions.since(**chosen)]


def count(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(select(func.count()).select_from(feedback)).scalar_one())


def test_feedback_is_kept_without_anything_that_identifies_its_author(
    kept: Conversations, given: Feedback, questions: Questions
) -> None:
    given.give("town", answered(kept, "Q?"), "down", "Wrong\0: call 0171 2345678 or a@otter.example")
    [row] = questions.since()
    assert (row.rating, row.comment) == ("down", "Wrong: call [tel.] or [e-mail]")


def test_the_last_feedback_replaces_what_was_said_before(
    kept: Conversations, given: Feedback, questions: Questions, engine: Engine
) -> None:
    answer = answered(kept, "Q?")
    given.give("town", answer, "down", "Wrong.")
    given.give("town", answer, "up")
    [row] = questions.since()
    assert (row.rating, row.comment, count(engine)) == ("up", "", 1)


def test_feedback_given_at_once_is_kept_once(kept: Conversations, given: Feedback, engine: Engine) -> None:
    answer = answered(kept, "Q?")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: given.give("town", answer, "up", f"comment {n}"), range(16)))
    assert count(engine) == 1


def test_feedback_on_what_the_site_does_not_have_is_refused(
    kept: Conversations, given: Feedback, engine: Engine
) -> None:
    answer = answered(kept, "Q?")
    conversation = kept.answer("town", answer).conversation
    for site, id_ in (("other", answer), ("town", conversation), ("town", ""), ("town", "' OR 1=1 --")):
        with pytest.raises(NotFoundError):
            given.give(site, id_, "up")
    assert count(engine) == 0


def test_feedback_is_forgotten_with_its_conversation(
    kept: Conversations, given: Feedback, engine: Engine, clock: Clock
) -> None:
    deleted, old = answered(kept, "Q?"), answered(kept, "Old?")
    for answer in (deleted, old):
        given.give("town", answer, "up")
    kept.delete("town", kept.answer("town", deleted).conversation)
    assert count(engine) == 1
    clock.advance(86_400)
    given.give("town", answered(kept, "New?"), "up")
    kept.expire({}, timedelta(hours=1))
    assert count(engine) == 1


def test_feedback_given_while_its_conversation_is_forgotten_does_not_stay(
    kept: Conversations, given: Feedback, engine: Engine
) -> None:
    def forget(answer: str) -> None:
        kept.delete("town", kept.answer("town", answer).conversation)

    def give(answer: str) -> bool:
        try:
            given.give("town", answer, "up")
        except NotFoundError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            answer = answered(kept, "Q?")
            giving, forgetting = pool.submit(give, answer), pool.submit(forget, answer)
            giving.result()
            forgetting.result()
    assert count(engine) == 0


def test_a_question_is_listed_with_its_answers_end_and_cited_sources(
    kept: Conversations, questions: Questions
) -> None:
    sources = [
        {"number": 1, "url": "https://otter.example/1"},
        {"number": 2, "url": "https://otter.example/2"},
        {"number": None, "url": "https://otter.example/unread"},
    ]
    answered(kept, "Is a@otter.example yours?", "partly", sources=sources, citations=[2])
    [row] = questions.since()
    assert row.document() == {
        "asked_at": NOON.isoformat(),
        "site": "town",
        "question": "Is [e-mail] yours?",
        "status": "partly",
        "sources": ["https://otter.example/2"],
        "rating": "",
        "comment": "",
    }


def test_an_answer_that_nobody_finished_is_running_then_interrupted(
    kept: Conversations, questions: Questions, clock: Clock
) -> None:
    kept.begin("town", "Q?")
    assert [row.status for row in questions.since()] == ["running"]
    clock.advance(RUNNING_TIMEOUT.total_seconds() + 1)
    assert [row.status for row in questions.since()] == ["interrupted"]


def test_questions_are_chosen_by_site_kind_and_moment(
    kept: Conversations, given: Feedback, questions: Questions, clock: Clock
) -> None:
    rated = answered(kept, "Rated?")
    given.give("town", rated, "up")
    for status in (*UNANSWERED, "greeting", "interrupted"):
        answered(kept, status, status)
    clock.advance(60)
    answered(kept, "Elsewhere?", "no_answer", "other")
    everything = ["Elsewhere?", "Rated?", "greeting", "interrupted", *UNANSWERED]
    assert sorted(asked(questions)) == sorted(everything)
    assert sorted(asked(questions, site="town", kind="unanswered")) == sorted(UNANSWERED)
    assert asked(questions, kind="rated") == ["Rated?"]
    assert asked(questions, moment=NOON + timedelta(seconds=1)) == ["Elsewhere?"]
    assert asked(questions, moment=NOON + timedelta(seconds=60)) == ["Elsewhere?"]
    assert asked(questions, site="nobody") == []


def test_many_questions_come_once_each_the_oldest_first(
    kept: Conversations, questions: Questions, clock: Clock
) -> None:
    for number in range(READ_BATCH + 20):
        kept.begin("town", f"Q{number}")
        clock.advance(number % 3 == 0)
    rows = list(questions.since())
    assert len({row.question for row in rows}) == len(rows) == READ_BATCH + 20
    assert [row.asked_at for row in rows] == sorted(row.asked_at for row in rows)


def test_an_unknown_site_is_refused_with_the_names_of_those_that_are_known(
    kept: Conversations, questions: Questions
) -> None:
    with pytest.raises(InputError, match="'nobody': the settings name none"):
        questions.check("nobody", ())
    answered(kept, "Q?", site="gone")
    for site in ("town", "gone"):
        questions.check(site, ["town"])
    with pytest.raises(InputError, match="unknown site 'nobody': known are gone, town"):
        questions.check("nobody", ["town"])
