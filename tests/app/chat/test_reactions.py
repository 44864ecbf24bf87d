"""What visitors do after an answer changes the outcome of its question."""

from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import Engine, select

from app.chat.conversations import AnswerRecord, Conversations
from app.chat.feedback import Feedback
from app.chat.provenance import vector_bytes
from app.chat.reactions import SHORTLY
from app.pages.database import open_engine, reading
from app.pages.question_tables import questions
from ingest.types import Vectors
from tests.contracts.conftest import NewDatabase, new_database
from tests.contracts.page_store.helpers import Clock

__all__ = ["new_database"]

BASE = 0.8
TAX = np.array([1, 0, 0], dtype=np.float32)
SAME_TAX = np.array([0.97, 0.2431, 0], dtype=np.float32)
FERRY = np.array([0.9, 0, 0.4359], dtype=np.float32)
"""Cosines of .97 and .9 with the first, of unrelated texts .8: .85 and .5 of what makes texts the same."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(new_database: NewDatabase) -> Engine:
    return open_engine(new_database())


@pytest.fixture
def kept(engine: Engine, clock: Clock) -> Conversations:
    return Conversations(engine, clock)


def answer(
    kept: Conversations, question: str, vector: Vectors, conversation: str | None = None, recipe: str = "e"
) -> tuple[str, str]:
    begun = kept.begin("town", question, conversation)
    made = {"thresholds": {"base": BASE}, "pages": []}
    record = AnswerRecord(recipe=recipe, vector=vector_bytes(vector), provenance=made)
    document = {"answer": "A.", "status": "answered", "sources": [], "citations": []}
    kept.finish(begun.answer, document, record=record)
    return begun.answer, begun.conversation


def outcomes(engine: Engine) -> list[str]:
    with reading(engine) as connection:
        return list(connection.execute(select(questions.c.outcome).order_by(questions.c.words)).scalars())


def test_who_asks_the_same_in_other_words_was_not_answered_well(kept: Conversations, engine: Engine) -> None:
    _, conversation = answer(kept, "a dog tax?", TAX)
    answer(kept, "b tax for dogs?", SAME_TAX, conversation)
    assert outcomes(engine) == ["doubtful", "answered"]


@pytest.mark.parametrize(
    ("question", "vector", "recipe"),
    [
        ("b ferry?", FERRY, "e"),
        ("A  DOG tax?", SAME_TAX, "e"),
        ("b due dates – Dog tax", SAME_TAX, "e"),
        ("b dog tax", SAME_TAX, "other"),
    ],
    ids=["another question", "the same words", "a click", "vectors of another model"],
)
def test_what_is_asked_next_is_no_reaction_by_itself(
    kept: Conversations, engine: Engine, question: str, vector: Vectors, recipe: str
) -> None:
    _, conversation = answer(kept, "a dog tax?", TAX)
    answer(kept, question, vector, conversation, recipe)
    assert outcomes(engine) == ["answered", "answered"]


def test_the_same_question_later_or_by_somebody_else_is_no_reaction(
    kept: Conversations, engine: Engine, clock: Clock
) -> None:
    _, conversation = answer(kept, "a dog tax?", TAX)
    answer(kept, "b tax for dogs?", SAME_TAX)
    clock.advance((SHORTLY + timedelta(seconds=1)).total_seconds())
    answer(kept, "c tax for dogs?", SAME_TAX, conversation)
    assert outcomes(engine) == ["answered"] * 3


def test_who_turns_to_a_person_was_not_answered_well(kept: Conversations, engine: Engine) -> None:
    name, _ = answer(kept, "a dog tax?", TAX)
    kept.hand_over(name)
    kept.hand_over("deleted meanwhile")
    assert outcomes(engine) == ["doubtful"]


def test_a_rating_counts_until_it_is_changed(kept: Conversations, engine: Engine, clock: Clock) -> None:
    name, _ = answer(kept, "a dog tax?", TAX)
    given = Feedback(engine, clock)
    found = []
    for rating in ("down", "up"):
        given.give("town", name, rating)
        found += outcomes(engine)
    assert found == ["doubtful", "answered"]


def test_a_rating_of_an_answer_that_is_being_written_changes_nothing(
    kept: Conversations, engine: Engine, clock: Clock
) -> None:
    begun = kept.begin("town", "a dog tax?")
    Feedback(engine, clock).give("town", begun.answer, "down")
    assert outcomes(engine) == ["unfinished"]
