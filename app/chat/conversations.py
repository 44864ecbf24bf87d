"""What visitors asked and were answered, in the page store's database.

Invariants:

* An id is 128 random bits and a secret: whoever has it may read, continue and delete the conversation, and
  nobody else can tell that it exists. It counts on the site that it was begun on alone.
* A conversation has one answer at a time; one that nobody has finished for ``RUNNING`` counts as broken off.
* A site's questions of a day are counted apart from them, so that deleting a conversation gives none back.
* Nothing outlives its site's retention, counted from a conversation's last answer.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update

from app.chat.types import Turn
from app.errors import ConflictError, NotFoundError
from app.pages import counters as tallies
from app.pages.database import Database, open_engine, reading, writing
from app.pages.tables import answers, conversations, feedback

ID_BYTES: Final = 16
RUNNING: Final = timedelta(minutes=5)
TURNS: Final = 10
"""Questions and answers that a follow-up can refer to, the last ones."""

MOST_ANSWERS: Final = 100
"""Of one conversation."""

EXPIRED_AT_ONCE: Final = 200

_NOTHING_SAID: Final = ("greeting", "failed")
_UNKNOWN: Final = "there is no such conversation: ask without one"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingAnswer:
    """An answer that may be written: its id, its conversation's, and what was said before. ``today``: how
    many questions the site has been asked since midnight UTC, this one included."""

    answer: str
    conversation: str
    history: tuple[Turn, ...]
    today: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as it is kept. ``document``: as :func:`app.chat.documents.answer_document` gives it, nothing
    while it is being written or where that was broken off. ``status``: the document's, ``running`` while
    there is none, ``interrupted`` where none will come."""

    id: str
    conversation: str
    question: str
    started_at: datetime
    status: str
    document: Mapping[str, Any] | None


class Conversations:
    """Those in ``database``. Every method raises ``PageStoreUnavailableError``."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._engine = open_engine(database)
        self._clock = clock

    def begin(self, site: str, question: str, conversation: str | None = None) -> PendingAnswer:
        """Begin an answer to ``question``, in a new conversation if none is given.

        Raises ``NotFoundError`` for one that the site does not have or that has ``MOST_ANSWERS``, and
        ``ConflictError`` while an answer of it is being written.
        """
        now, answer = self._clock(), token_urlsafe(ID_BYTES)
        with writing(self._engine) as connection:
            if conversation is None:
                conversation = token_urlsafe(ID_BYTES)
                row = {"id": conversation, "site": site, "used_at": now}
                connection.execute(insert(conversations).values(row))
            else:
                self._continue(connection, site, conversation, now)
            row = {
                "id": answer,
                "conversation": conversation,
                "number": _next_number(connection, conversation),
                "question": question,
                "started_at": now,
            }
            history = _history(connection, conversation)
            connection.execute(insert(answers).values(row))
            today = _counted(connection, site, now)
        return PendingAnswer(answer=answer, conversation=conversation, history=history, today=today)

    def recall(self, site: str, conversation: str | None = None) -> PendingAnswer:
        """What :meth:`begin` gives, of an answer that cannot be kept. The conversation goes on from what is
        there of it, if anything is, and the question does not count."""
        now, answer = self._clock(), token_urlsafe(ID_BYTES)
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        with reading(self._engine) as connection:
            known = connection.execute(select(conversations.c.id).where(same)).scalar()
            history = _history(connection, known) if known else ()
            today = int(tallies.value(connection, _questions(site, now)))
        conversation = conversation or token_urlsafe(ID_BYTES)
        return PendingAnswer(answer=answer, conversation=conversation, history=history, today=today)

    def finish(self, answer: str, document: Mapping[str, Any]) -> None:
        """Keep what was answered; nothing if it was deleted meanwhile."""
        values = {
            "document": json.dumps(document),
            "status": document["status"],
            "finished_at": func.coalesce(answers.c.finished_at, self._clock()),
        }
        with writing(self._engine) as connection:
            connection.execute(update(answers).where(answers.c.id == answer).values(values))

    def stop(self, site: str, answer: str) -> None:
        """Let the conversation go on before an answer is finished, of which what comes is still kept.

        Raises ``NotFoundError``.
        """
        self.answer(site, answer)
        running = and_(answers.c.id == answer, answers.c.finished_at.is_(None))
        with writing(self._engine) as connection:
            connection.execute(update(answers).where(running).values(finished_at=self._clock()))

    def discard(self, begun: PendingAnswer) -> None:
        """Forget an answer that could not be begun, with its conversation if there is nothing else in it."""
        with writing(self._engine) as connection:
            connection.execute(delete(answers).where(answers.c.id == begun.answer))
            if not _said(connection, begun.conversation):
                _forget(connection, [begun.conversation])

    def answer(self, site: str, answer: str) -> StoredAnswer:
        """One answer. Raises ``NotFoundError``."""
        query = (
            select(answers)
            .join(conversations, conversations.c.id == answers.c.conversation)
            .where(answers.c.id == answer, conversations.c.site == site)
        )
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFoundError("there is no such answer")
        return _stored(row, self._clock())

    def answers(self, site: str, conversation: str) -> list[StoredAnswer]:
        """All of a conversation, in order. Raises ``NotFoundError``."""
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        with reading(self._engine) as connection:
            if connection.execute(select(conversations.c.id).where(same)).first() is None:
                raise NotFoundError(_UNKNOWN)
            return [_stored(row, self._clock()) for row in _said(connection, conversation)]

    def delete(self, site: str, conversation: str) -> None:
        """Forget a conversation with its answers. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            self._check(connection, site, conversation)
            _forget(connection, [conversation])

    def expire(self, retentions: Mapping[str, timedelta], otherwise: timedelta) -> int:
        """Forget conversations not used for their site's retention, ``otherwise`` for a site that is
        not named, in short transactions. Returns how many these were."""
        now, known = self._clock(), conversations.c.site
        old = or_(
            *(and_(known == site, conversations.c.used_at < now - kept) for site, kept in retentions.items()),
            and_(known.not_in(list(retentions)), conversations.c.used_at < now - otherwise),
        )
        some = select(conversations.c.id).where(old).limit(EXPIRED_AT_ONCE)
        count = 0
        while True:
            with writing(self._engine) as connection:
                found = list(connection.execute(some).scalars())
                _forget(connection, found)
                tallies.drop_before(connection, tallies.QUESTIONS, now.date().isoformat())
            count += len(found)
            if len(found) < EXPIRED_AT_ONCE:
                return count

    def _continue(self, connection: Connection, site: str, conversation: str, now: datetime) -> None:
        self._check(connection, site, conversation)
        running = select(answers.c.id).where(
            answers.c.conversation == conversation,
            answers.c.finished_at.is_(None),
            answers.c.started_at > now - RUNNING,
        )
        if connection.execute(running).first():
            raise ConflictError("the last question of this conversation is still being answered: wait for it")
        same = conversations.c.id == conversation
        connection.execute(update(conversations).where(same).values(used_at=now))

    def _check(self, connection: Connection, site: str, conversation: str) -> None:
        same = and_(conversations.c.id == conversation, conversations.c.site == site)
        if connection.execute(select(conversations.c.id).where(same).with_for_update()).first() is None:
            raise NotFoundError(_UNKNOWN)


def _said(connection: Connection, conversation: str) -> list[Row[Any]]:
    query = select(answers).where(answers.c.conversation == conversation).order_by(answers.c.number)
    return list(connection.execute(query))


def _next_number(connection: Connection, conversation: str) -> int:
    query = select(func.max(answers.c.number)).where(answers.c.conversation == conversation)
    last: int | None = connection.execute(query).scalar_one()
    if last is not None and last + 1 >= MOST_ANSWERS:
        raise NotFoundError(f"this conversation has {MOST_ANSWERS} answers: begin a new one")
    return 0 if last is None else last + 1


def _history(connection: Connection, conversation: str) -> tuple[Turn, ...]:
    """The last questions that were answered, with the answers; small talk is left out."""
    query = (
        select(answers.c.question, answers.c.document)
        .where(
            answers.c.conversation == conversation,
            answers.c.document.is_not(None),
            answers.c.status.not_in(_NOTHING_SAID),
        )
        .order_by(answers.c.number.desc())
        .limit(TURNS)
    )
    read = ((row.question, read_document(row)) for row in connection.execute(query))
    said = [(question, document["answer"]) for question, document in read if document]
    turns = (
        (Turn(role="user", content=question), Turn(role="assistant", content=answer))
        for question, answer in reversed(said)
        if answer
    )
    return tuple(turn for pair in turns for turn in pair)


def _counted(connection: Connection, site: str, now: datetime) -> int:
    """Count a question; how many the site has had on this day."""
    key = _questions(site, now)
    tallies.add(connection, {key: 1})
    return int(tallies.value(connection, key))


def _questions(site: str, now: datetime) -> tallies.Key:
    return tallies.QUESTIONS, site, now.date().isoformat()


def read_document(row: Any) -> dict[str, Any] | None:
    """An answer's document; ``None`` if it has none, or one that cannot be read any more."""
    if row.document is None:
        return None
    try:
        document: Any = json.loads(row.document)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("answer"), str):
        return None
    lists = (document.get(name, []) for name in ("sources", "citations"))
    return document if all(isinstance(some, list) for some in lists) else None


def status_of(row: Row[Any], document: Mapping[str, Any] | None, now: datetime) -> str:
    """An answer's status: ``interrupted`` where it was stopped, or nobody has finished it for too long;
    ``failed`` where it cannot be read any more. ``document``: what :func:`read_document` gave."""
    if row.document is not None and document is None:
        return "failed"
    broken_off = row.document is None and (row.finished_at or row.started_at < now - RUNNING)
    return "interrupted" if broken_off else str(row.status)


def _stored(row: Row[Any], now: datetime) -> StoredAnswer:
    document = read_document(row)
    return StoredAnswer(
        id=row.id,
        conversation=row.conversation,
        question=row.question,
        started_at=row.started_at,
        status=status_of(row, document, now),
        document=document,
    )


def _forget(connection: Connection, ids: list[str]) -> None:
    # In this order: feedback is given under the conversation's lock.
    connection.execute(delete(conversations).where(conversations.c.id.in_(ids)))
    forgotten = select(answers.c.id).where(answers.c.conversation.in_(ids))
    connection.execute(delete(feedback).where(feedback.c.answer.in_(forgotten)))
    connection.execute(delete(answers).where(answers.c.conversation.in_(ids)))
