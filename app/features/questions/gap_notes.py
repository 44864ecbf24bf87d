"""Stores editors' notes on groups of questions: done, assigned, a comment.

A note is stored with the newest question of its group, so that it stays with the group when questions are
regrouped. A group that is done opens again as soon as a later question of it is not answered well.
"""

from collections.abc import Collection
from typing import Any, Final, TypedDict, Unpack

from sqlalchemy import ColumnElement, Connection, delete, insert, select, true

from app.errors import NotFoundError
from app.features.questions.tables import gap_notes, question_groups
from app.pages import audit
from app.pages.database import Store, writing
from app.pages.question_tables import questions

COMMENT_CHARACTERS: Final = 1_000
NO_GROUP: Final = "there is no such group of questions: they may have been regrouped"
NO_NOTE: Final = {"done_at": None, "assigned_to": "", "comment": ""}


class NoteChanges(TypedDict, total=False):
    """Changes of a note; values that are left out or ``None`` stay."""

    done: bool | None
    assigned_to: str | None
    comment: str | None


class GapNotes(Store):
    """The notes in ``engine``. Every method may raise ``PageStoreUnavailableError``."""

    def change(
        self,
        answer: str,
        actor: str,
        *,
        sites: Collection[str] | None,
        **given: Unpack[NoteChanges],
    ) -> None:
        """Change the note of the group that has the question with this ``answer``. ``sites``: those that the
        user may see, ``None`` for all. Raises ``NotFoundError``."""
        told: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        changes, now = dict(told), self._clock()
        if "done" in changes:
            changes["done_at"] = now if changes.pop("done") else None
        visible = true() if sites is None else questions.c.site.in_(sorted(sites))
        with writing(self._engine) as connection:
            number = connection.execute(
                select(question_groups.c.number)
                .join(questions, questions.c.answer == question_groups.c.answer)
                .where(question_groups.c.answer == answer, visible)
            ).scalar()
            if number is None:
                raise NotFoundError(NO_GROUP)
            before = _note(connection, question_groups.c.number == number)
            who = {"changed_at": now, "changed_by": actor[: audit.ACTOR_CHARACTERS]}
            _put(connection, number, before | changes | who)
            if told.pop("comment", None) is not None:
                told["commented"] = True
            target = f"question/{answer}"
            audit.record(connection, at=now, actor=actor, action="gap.change", target=target, after=told)


def carry_on(connection: Connection) -> None:
    """Move each note to the newest question of the group that its question is in now. If a group has several
    notes, the one changed last is kept."""
    noted = select(question_groups.c.number).join(gap_notes, gap_notes.c.answer == question_groups.c.answer)
    for number in connection.execute(noted.distinct()).scalars().all():
        _put(connection, number, _note(connection, question_groups.c.number == number))


def _note(connection: Connection, group: ColumnElement[bool]) -> dict[str, Any]:
    """Return the note of a group that was changed last; an empty one if there is none."""
    query = (
        select(gap_notes)
        .join(question_groups, question_groups.c.answer == gap_notes.c.answer)
        .where(group)
        .order_by(gap_notes.c.changed_at.desc())
        .limit(1)
    )
    row = connection.execute(query).mappings().first()
    return {**NO_NOTE, **(row or {})}


def _put(connection: Connection, number: int, note: dict[str, Any]) -> None:
    members = select(question_groups.c.answer).where(question_groups.c.number == number)
    newest = (
        select(questions.c.answer)
        .where(questions.c.answer.in_(members))
        .order_by(questions.c.asked_at.desc(), questions.c.answer.desc())
        .limit(1)
    )
    answer = connection.execute(newest).scalar_one()
    connection.execute(delete(gap_notes).where(gap_notes.c.answer.in_(members)))
    connection.execute(insert(gap_notes).values({**note, "answer": answer}))
