"""Reactions to an answer (a rating, the same question again, a person asked), which change its outcome."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection, select, update

from app.chat.outcomes import Reaction, outcome_of
from app.chat.provenance import read_vector
from app.chat.stored import read_document
from app.chat.text.suggestions import SEPARATOR
from app.pages.question_tables import answer_records, answers, feedback, questions

SAME_MEANING: Final = 0.7
"""Questions of at least this similarity mean the same: 0 is that of unrelated text, 1 of the same text
(docs/chat.md)."""

SHORTLY: Final = timedelta(minutes=10)


def note(connection: Connection, answer: str, reaction: Reaction) -> None:
    """Note a visitor's reaction to an answer, in place of an earlier one, and judge its question anew."""
    same = questions.c.answer == answer
    connection.execute(update(questions).where(same).values(reaction=reaction))
    judge(connection, answer)


def judge(connection: Connection, answer: str) -> None:
    """Judge a question anew by its answer, rating and reaction. Does nothing while the answer is written."""
    query = (
        select(answers.c.document, feedback.c.rating, questions.c.reaction)
        .join(questions, questions.c.answer == answers.c.id)
        .join(feedback, feedback.c.answer == answers.c.id, isouter=True)
        .where(answers.c.id == answer)
    )
    row = connection.execute(query).one_or_none()
    if row is not None and (document := read_document(row)):
        outcome = outcome_of(document, row.rating or "", row.reaction)
        connection.execute(update(questions).where(questions.c.answer == answer).values(outcome=outcome))


def note_asked_again(connection: Connection, answer: str, number: int) -> None:
    """If the question of ``answer`` means the same as the one before it in its conversation, note that for
    the earlier one. ``number``: the answer's in the conversation."""
    conversation = select(answers.c.conversation).where(answers.c.id == answer).scalar_subquery()
    query = (
        select(answers.c.id, answers.c.question, answers.c.started_at, answer_records)
        .join(answer_records, answer_records.c.answer == answers.c.id)
        .where(answers.c.conversation == conversation, answers.c.number.in_((number - 1, number)))
        .order_by(answers.c.number)
    )
    found = connection.execute(query).all()
    if len(found) == 2 and is_asked_again(found):
        note(connection, found[0].id, "asked_again")


def is_asked_again(asked: Sequence[Any]) -> bool:
    """Return True if the second of two questions soon follows the first and means the same in other words.
    Each is a row with ``question``, ``started_at``, ``recipe``, ``vector`` and ``provenance`` as stored."""
    one, other = asked
    vectors = [read_vector(each.vector) for each in asked]
    thresholds = json.loads(other.provenance or "{}").get("thresholds")
    if vectors[0] is None or vectors[1] is None or one.recipe != other.recipe or not thresholds:
        return False
    is_click = SEPARATOR in other.question  # on a suggestion or another reading
    is_other_text = one.question.casefold().split() != other.question.casefold().split() and not is_click
    least = thresholds["base"] + SAME_MEANING * (1 - thresholds["base"])
    is_soon: bool = other.started_at - one.started_at <= SHORTLY
    return is_other_text and is_soon and float(vectors[0] @ vectors[1]) >= least
