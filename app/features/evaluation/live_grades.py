"""Answers to visitors that may be graded, and their grades: a sample of each day, by one worker at a time.

* What a model read for an answer is kept until the day's sample is graded.
* The sample of a day is the same at each call: the answers with the lowest ids, which are random.
* A grade is deleted with its answer; an answer that was deleted meanwhile gets none.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from sqlalchemy import Engine, and_, delete, select, update

from app.features.evaluation.tables import live_grading
from app.pages import counters
from app.pages.bulk import insert_new
from app.pages.database import Store, reading, writing
from app.pages.leases import LeaseTable
from app.pages.question_tables import answers, conversations, feedback, live_grades
from app.pages.refs import from_row
from app.pages.tables import EPOCH

SLOT: Final = 1
_FREE: Final = {"worker": "", "until": EPOCH}
LEASES: Final = LeaseTable(table=live_grading, free=_FREE)

_NONE: Final = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UngradedAnswer:
    """An answer that waits for its grade. ``number``: its place in the conversation; ``document``: the stored
    JSON; ``context``: what the model read."""

    id: str
    conversation: str
    number: int
    site: str
    question: str
    document: str
    context: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAnswer:
    """An answer with its grade in JSON. ``rating``: the visitor's, ``up``, ``down`` or empty."""

    id: str
    site: str
    asked_at: datetime
    question: str
    rating: str
    grade: Mapping[str, Any]


class LiveGrades(Store):
    """The grades in ``engine``'s database. ``statuses``: of answers that can be graded."""

    def __init__(self, engine: Engine, statuses: Collection[str]) -> None:
        super().__init__(engine)
        self._statuses = tuple(statuses)

    def is_due(self, day: date, now: datetime) -> bool:
        """Return True if a day is not done, and nobody is grading it."""
        row = self._row(select(live_grading))
        return row is None or (row.day < day.isoformat() and row.until <= now)

    def hold(self, day: date, worker: str, now: datetime, until: datetime) -> bool:
        """Take the lease to grade a day. Return False if another worker has it, or the day is done."""
        with writing(self._engine) as connection:
            insert_new(connection, live_grading, [{"slot": SLOT, "day": _NONE, **_FREE}], {})
            is_left = live_grading.c.day < day.isoformat()
            return LEASES.hold(connection, SLOT, worker, now, until, where=is_left)

    def release(self, worker: str) -> None:
        """Release the lease."""
        with writing(self._engine) as connection:
            LEASES.release(connection, SLOT, worker)

    def finish(self, day: date, worker: str) -> None:
        """Mark a day as done if ``worker`` has the lease; answers not yet drawn get no grade any more."""
        earlier = select(answers.c.id).where(answers.c.started_at < _start(day) + timedelta(days=1))
        with writing(self._engine) as connection:
            if LEASES.release(connection, SLOT, worker, day=day.isoformat()):
                ungraded = live_grades.c.grade == _NONE
                connection.execute(delete(live_grades).where(ungraded, live_grades.c.answer.in_(earlier)))

    def waiting(self, day: date, number: int) -> list[UngradedAnswer]:
        """Return the ungraded answers in a day's sample of ``number`` answers."""
        drawn = (
            select(answers, conversations.c.site, live_grades.c.context, live_grades.c.grade)
            .join(live_grades, live_grades.c.answer == answers.c.id)
            .join(conversations, conversations.c.id == answers.c.conversation)
            .where(_on(day), answers.c.status.in_(self._statuses))
            .order_by(answers.c.id)
            .limit(number)
        )
        with reading(self._engine) as connection:
            rows = [row for row in connection.execute(drawn) if row.grade == _NONE]
        return [
            from_row(UngradedAnswer, row, document=row.document or _NONE, context=json.loads(row.context))
            for row in rows
        ]

    def add(self, answer: str, grade: str, amounts: counters.Amounts) -> None:
        """Store a grade in JSON, and raise counters, unless the answer has a grade or is deleted."""
        same = and_(live_grades.c.answer == answer, live_grades.c.grade == _NONE)
        graded = update(live_grades).where(same).values(grade=grade, context="[]")
        with writing(self._engine) as connection:
            if connection.execute(graded).rowcount:
                counters.add(connection, amounts)

    def since(self, day: date) -> list[GradedAnswer]:
        """Return the graded answers since a day, the oldest first."""
        query = (
            select(
                answers.c.id,
                answers.c.started_at.label("asked_at"),
                answers.c.question,
                conversations.c.site,
                feedback.c.rating,
                live_grades.c.grade,
            )
            .join(live_grades, live_grades.c.answer == answers.c.id)
            .join(conversations, conversations.c.id == answers.c.conversation)
            .join(feedback, feedback.c.answer == answers.c.id, isouter=True)
            .where(answers.c.started_at >= _start(day), live_grades.c.grade != _NONE)
            .order_by(answers.c.started_at, answers.c.id)
        )
        with reading(self._engine) as connection:
            rows = list(connection.execute(query))
        return [
            from_row(GradedAnswer, row, rating=row.rating or "", grade=json.loads(row.grade)) for row in rows
        ]

    def documents(self, ids: Collection[str]) -> dict[str, str]:
        """Return the stored answers in JSON, by their ids."""
        query = select(answers.c.id, answers.c.document).where(answers.c.id.in_(ids))
        return {row.id: row.document for row in self._rows(query) if row.document}


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _on(day: date) -> Any:
    return and_(answers.c.started_at >= _start(day), answers.c.started_at < _start(day) + timedelta(days=1))
