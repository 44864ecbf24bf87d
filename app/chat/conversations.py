"""Stores the conversations of visitors in the page store's database.

Invariants:

* An id is a secret of 128 random bits: whoever has it may read, continue and delete the conversation, and
  nobody else can find out that it exists. It is valid only on the site where the conversation began.
* A conversation has one running answer at a time. An answer not finished within ``RUNNING_TIMEOUT`` counts as
  interrupted.
* A site's questions per day are counted in a separate table, so deleting a conversation does not lower the
  count.
* A conversation is deleted once its last answer is older than the site's retention.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from secrets import token_urlsafe
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, and_, delete, func, insert, or_, select, update

from app.chat.energy import NO_ENERGY
from app.chat.outcomes import outcome_of
from app.chat.provenance import cited_pages
from app.chat.reactions import note, note_asked_again
from app.chat.stored import RUNNING_TIMEOUT, StoredAnswer, stored_answer, turns_of
from app.chat.types import Turn
from app.errors import ConflictError, NotFoundError
from app.pages import counters
from app.pages.bulk import chunks, insert_new
from app.pages.database import Store, reading, writing
from app.pages.question_tables import (
    answer_records,
    answers,
    citations,
    conversations,
    feedback,
    live_grades,
    questions,
)

ID_BYTES: Final = 16
HISTORY_ANSWERS: Final = 10
"""A follow-up can refer to at most so many earlier answers."""

MAX_ANSWERS: Final = 100
"""The most answers of one conversation."""

EXPIRY_BATCH: Final = 200

_OUTSIDE_HISTORY: Final = ("greeting", "failed")
_WITHOUT_MODEL: Final = {"model_unavailable", "daily_limit"}
_UNKNOWN: Final = "there is no such conversation: ask without a conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingAnswer:
    """An answer about to be written. ``answer``, ``conversation``: ids. ``history``: the earlier turns.
    ``questions_today``: the site's questions since midnight UTC, this one included."""

    answer: str
    conversation: str
    history: tuple[Turn, ...]
    questions_today: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """Data stored with an answer for editors. ``language``: the answer's, empty if unknown. ``first_text``:
    the seconds until its text began, or None if it never did. ``vector``: the question's, by the embedder
    whose recipe has the hash ``recipe``. ``provenance``: see :mod:`app.chat.provenance`."""

    language: str = ""
    first_text: float | None = None
    recipe: str = ""
    vector: bytes | None = None
    provenance: Mapping[str, Any] | None = None


NO_RECORD: Final = AnswerRecord()


class Conversations(Store):
    """The conversations in ``engine``. ``amounts``: returns what an answer's energy adds to counters. Every
    method raises ``PageStoreUnavailableError``."""

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], datetime],
        amounts: Callable[[Mapping[str, Any], date], counters.Amounts] = NO_ENERGY.amounts,
    ) -> None:
        super().__init__(engine, clock)
        self._amounts = amounts

    def begin(self, site: str, question: str, conversation: str | None = None) -> PendingAnswer:
        """Store ``question`` and begin its answer, in a new conversation if none is given.

        Raises ``NotFoundError`` for a conversation that the site does not have or that has ``MAX_ANSWERS``,
        and ``ConflictError`` while another answer of it is being written.
        """
        now, answer = self._clock(), token_urlsafe(ID_BYTES)
        with writing(self._engine) as connection:
            if conversation is None:
                conversation = token_urlsafe(ID_BYTES)
                row = {"id": conversation, "site": site, "used_at": now}
                connection.execute(insert(conversations).values(row))
            else:
                self._reopen(connection, site, conversation, now)
            row = {
                "id": answer,
                "conversation": conversation,
                "number": _next_number(connection, conversation),
                "question": question,
                "started_at": now,
            }
            history = _history(connection, conversation)
            connection.execute(insert(answers).values(row))
            asked = {"answer": answer, "site": site, "asked_at": now, "words": question.casefold()}
            connection.execute(insert(questions).values(asked))
            questions_today = _count_question(connection, site, now)
        return PendingAnswer(
            answer=answer, conversation=conversation, history=history, questions_today=questions_today
        )

    def begin_unstored(self, site: str, conversation: str | None = None) -> PendingAnswer:
        """Begin an answer while the database cannot be written to: as :meth:`begin` does, but nothing is
        stored and the question is not counted. The history is that of the conversation, if it is stored."""
        now, answer = self._clock(), token_urlsafe(ID_BYTES)
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        with reading(self._engine) as connection:
            known = connection.execute(select(conversations.c.id).where(same)).scalar()
            history = _history(connection, known) if known else ()
            questions_today = int(counters.value(connection, _question_counter(site, now)))
        conversation = conversation or token_urlsafe(ID_BYTES)
        return PendingAnswer(
            answer=answer, conversation=conversation, history=history, questions_today=questions_today
        )

    def finish(
        self,
        answer: str,
        document: Mapping[str, Any],
        context: Sequence[str] | None = None,
        *,
        record: AnswerRecord = NO_RECORD,
    ) -> None:
        """Store the answer's document and record, unless the answer was deleted meanwhile, and add its
        amounts to the counters. ``context``: the sources' texts in the prompt, for a grade of the answer."""
        values = {
            "document": json.dumps(document),
            "status": document["status"],
            "finished_at": func.coalesce(answers.c.finished_at, self._clock()),
        }
        shown = {"outcome": outcome_of(document), "language": record.language}
        made = record.provenance and json.dumps(record.provenance)
        kept = {"answer": answer, "recipe": record.recipe, "vector": record.vector, "provenance": made}
        with writing(self._engine) as connection:
            stored = update(answers).where(answers.c.id == answer).values(values).returning(answers.c.number)
            number = connection.execute(stored).scalar()
            judged = update(questions).where(questions.c.answer == answer).values(shown)
            site = connection.execute(judged.returning(questions.c.site)).scalar()
            if context is not None and number is not None:
                row = {"answer": answer, "context": json.dumps(context), "grade": ""}
                insert_new(connection, live_grades, [row], {})
            if (record.vector or made) and number is not None:
                insert_new(connection, answer_records, [kept], {})
                if number and record.vector:
                    note_asked_again(connection, answer, number)
            if record.provenance and number is not None:
                insert_new(
                    connection, citations, cited_pages(record.provenance, document), {"answer": answer}
                )
            amounts = _amounts(document, record, shown["outcome"], site)
            if energy := document.get("energy"):
                amounts |= self._amounts(energy, self._clock().date())
            counters.add(connection, amounts)

    def stop(self, site: str, answer: str) -> None:
        """End an answer, so that its conversation can continue at once. A document that comes later is still
        stored.

        Raises ``NotFoundError``.
        """
        self.answer(site, answer)
        running = and_(answers.c.id == answer, answers.c.finished_at.is_(None))
        with writing(self._engine) as connection:
            connection.execute(update(answers).where(running).values(finished_at=self._clock()))

    def hand_over(self, answer: str) -> None:
        """Note that a visitor turned to a person after an answer, unless it was deleted meanwhile."""
        with writing(self._engine) as connection:
            note(connection, answer, "handed_over")

    def discard(self, pending: PendingAnswer) -> None:
        """Delete an answer that failed before its first event, and its conversation if it has no others."""
        with writing(self._engine) as connection:
            connection.execute(delete(answers).where(answers.c.id == pending.answer))
            if not _answer_rows(connection, pending.conversation):
                _delete(connection, [pending.conversation])

    def answer(self, site: str, answer: str) -> StoredAnswer:
        """Return an answer. Raises ``NotFoundError``."""
        query = (
            select(answers)
            .join(conversations, conversations.c.id == answers.c.conversation)
            .where(answers.c.id == answer, conversations.c.site == site)
        )
        row = self._row(query)
        if row is None:
            raise NotFoundError("there is no such answer")
        return stored_answer(row, self._clock())

    def answers(self, site: str, conversation: str) -> list[StoredAnswer]:
        """Return a conversation's answers in order. Raises ``NotFoundError``."""
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        with reading(self._engine) as connection:
            if connection.execute(select(conversations.c.id).where(same)).first() is None:
                raise NotFoundError(_UNKNOWN)
            return [stored_answer(row, self._clock()) for row in _answer_rows(connection, conversation)]

    def history_before(self, conversation: str, number: int) -> tuple[Turn, ...]:
        """Return the turns that an answer of a conversation could refer to. ``number``: the answer's."""
        with reading(self._engine) as connection:
            return _history(connection, conversation, before=number)

    def delete(self, site: str, conversation: str) -> None:
        """Delete a conversation with its answers. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            self._check(connection, site, conversation)
            _delete(connection, [conversation])

    def expire(self, retentions: Mapping[str, timedelta], otherwise: timedelta) -> int:
        """Delete conversations older than their site's retention, in short transactions, and return their
        number. ``otherwise``: the retention of sites without one."""
        now, known = self._clock(), conversations.c.site
        old = or_(
            *(and_(known == site, conversations.c.used_at < now - kept) for site, kept in retentions.items()),
            and_(known.not_in(list(retentions)), conversations.c.used_at < now - otherwise),
        )
        some = select(conversations.c.id).where(old).limit(EXPIRY_BATCH)
        count = 0
        while True:
            with writing(self._engine) as connection:
                found = list(connection.execute(some).scalars())
                _delete(connection, found)
                counters.drop_before(connection, counters.QUESTIONS, now.date().isoformat())
            count += len(found)
            if len(found) < EXPIRY_BATCH:
                return count

    def _reopen(self, connection: Connection, site: str, conversation: str, now: datetime) -> None:
        self._check(connection, site, conversation)
        running = select(answers.c.id).where(
            answers.c.conversation == conversation,
            answers.c.finished_at.is_(None),
            answers.c.started_at > now - RUNNING_TIMEOUT,
        )
        if connection.execute(running).first():
            raise ConflictError(
                "the last question of this conversation is still being answered: wait for the answer"
            )
        same = conversations.c.id == conversation
        connection.execute(update(conversations).where(same).values(used_at=now))

    def _check(self, connection: Connection, site: str, conversation: str) -> None:
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        if connection.execute(select(conversations.c.id).where(same).with_for_update()).first() is None:
            raise NotFoundError(_UNKNOWN)


def _answer_rows(connection: Connection, conversation: str) -> list[Row[Any]]:
    query = select(answers).where(answers.c.conversation == conversation).order_by(answers.c.number)
    return list(connection.execute(query))


def _next_number(connection: Connection, conversation: str) -> int:
    query = select(func.max(answers.c.number)).where(answers.c.conversation == conversation)
    last: int | None = connection.execute(query).scalar_one()
    if last is not None and last + 1 >= MAX_ANSWERS:
        raise NotFoundError(f"this conversation already has {MAX_ANSWERS} answers: start a new one")
    return 0 if last is None else last + 1


def _history(connection: Connection, conversation: str, before: int = MAX_ANSWERS) -> tuple[Turn, ...]:
    """Return the last answers before a number with their questions, without greetings and failures."""
    query = (
        select(answers.c.question, answers.c.document, answers.c.status)
        .where(
            answers.c.conversation == conversation,
            answers.c.number < before,
            answers.c.document.is_not(None),
            answers.c.status.not_in(_OUTSIDE_HISTORY),
        )
        .order_by(answers.c.number.desc())
        .limit(HISTORY_ANSWERS)
    )
    found = list(map(turns_of, connection.execute(query)))
    return tuple(turn for turns in reversed(found) for turn in turns)


def _amounts(
    document: Mapping[str, Any], record: AnswerRecord, outcome: str, site: str | None
) -> dict[counters.Key, float]:
    """Return the amounts that an answer adds to the counters of questions. ``site``: None if the answer was
    deleted meanwhile."""
    amounts: dict[counters.Key, float] = {}
    if site is not None:
        amounts[counters.OUTCOMES, site, outcome] = 1
    if record.first_text is not None:
        amounts |= counters.first_text(record.first_text, by_model=bool(document.get("model")))
    for reason in set(document.get("degraded", ())) & _WITHOUT_MODEL:
        amounts[counters.WITHOUT_MODEL, reason, ""] = 1
    return amounts


def _count_question(connection: Connection, site: str, now: datetime) -> int:
    """Count a question, and return the site's number of questions on this day."""
    key = _question_counter(site, now)
    counters.add(connection, {key: 1})
    return int(counters.value(connection, key))


def _question_counter(site: str, now: datetime) -> counters.Key:
    return counters.QUESTIONS, site, now.date().isoformat()


def _delete(connection: Connection, ids: list[str]) -> None:
    # Conversations first, because feedback is given under the conversation's lock.
    connection.execute(delete(conversations).where(conversations.c.id.in_(ids)))
    forgotten = select(answers.c.id).where(answers.c.conversation.in_(ids))
    connection.execute(delete(feedback).where(feedback.c.answer.in_(forgotten)))
    gone = delete(answers).where(answers.c.conversation.in_(ids)).returning(answers.c.id)
    # Last, because finishing an answer, which locks it, adds a row here.
    for some in chunks(list(connection.execute(gone).scalars())):
        connection.execute(delete(live_grades).where(live_grades.c.answer.in_(some)))
