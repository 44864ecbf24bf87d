"""What is kept of feedback, in every database."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, Row, select

from app.chat.conversations import Conversations
from app.chat.feedback import Feedback
from app.errors import NotFoundError
from app.pages.database import open_engine, reading
from app.pages.question_tables import feedback
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import Clock


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


def answered(
    kept: Conversations, question: str, status: str = "answered", site: str = "town", **more: Any
) -> str:
    begun = kept.begin(site, question)
    document: Mapping[str, Any] = {"answer": "A.", "status": status, "sources": [], "citations": []}
    kept.finish(begun.answer, {**document, **more})
    return begun.answer


def rows(engine: Engine) -> list[Row[Any]]:
    with reading(engine) as connection:
        return list(connection.execute(select(feedback)))


def test_feedback_is_kept_without_anything_that_identifies_its_author(
    kept: Conversations, given: Feedback, engine: Engine
) -> None:
    given.give("town", answered(kept, "Q?"), "down", "Wrong\0: call 0171 2345678 or a@otter.example")
    [row] = rows(engine)
    assert (row.rating, row.comment) == ("down", "Wrong: call [tel.] or [e-mail]")


def test_the_last_feedback_replaces_what_was_said_before(
    kept: Conversations, given: Feedback, engine: Engine
) -> None:
    answer = answered(kept, "Q?")
    given.give("town", answer, "down", "Wrong.")
    given.give("town", answer, "up")
    [row] = rows(engine)
    assert (row.rating, row.comment) == ("up", "")


def test_feedback_given_at_once_is_kept_once(kept: Conversations, given: Feedback, engine: Engine) -> None:
    answer = answered(kept, "Q?")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: given.give("town", answer, "up", f"comment {n}"), range(16)))
    assert len(rows(engine)) == 1


def test_feedback_on_what_the_site_does_not_have_is_refused(
    kept: Conversations, given: Feedback, engine: Engine
) -> None:
    answer = answered(kept, "Q?")
    conversation = kept.answer("town", answer).conversation
    for site, id_ in (("other", answer), ("town", conversation), ("town", ""), ("town", "' OR 1=1 --")):
        with pytest.raises(NotFoundError):
            given.give(site, id_, "up")
    assert len(rows(engine)) == 0


def test_feedback_is_forgotten_with_its_conversation(
    kept: Conversations, given: Feedback, engine: Engine, clock: Clock
) -> None:
    deleted, old = answered(kept, "Q?"), answered(kept, "Old?")
    for answer in (deleted, old):
        given.give("town", answer, "up")
    kept.delete("town", kept.answer("town", deleted).conversation)
    assert len(rows(engine)) == 1
    clock.advance(86_400)
    given.give("town", answered(kept, "New?"), "up")
    kept.expire({}, timedelta(hours=1))
    assert len(rows(engine)) == 1


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
    assert len(rows(engine)) == 0
