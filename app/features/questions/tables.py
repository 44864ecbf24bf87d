"""The tables of groups of questions, and of answers that changed. Every row is deleted with its answer."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

question_groups = Table(
    "question_groups",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
)
"""The group of each question; ``rank``: 0 for the most central one. No text is copied, so that nothing
remains of deleted questions."""
Index("question_groups_number", question_groups.c.number, question_groups.c.rank)

groupings = Table(
    "groupings",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("requested_at", UtcDateTime),
    Column("made_at", UtcDateTime),
    Column("questions", Integer, nullable=False, default=0),
    Column("left", Integer, nullable=False, default=0),
)
"""The last grouping: when it was made, how many questions it has, and how many had no vector. One row, slot
1."""

standing_answers = Table(
    "standing_answers",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("setup", String(64), nullable=False),
    Column("text", StorableText),
    Column("pages", StorableText, nullable=False),
)
"""The present answers to frequent questions; ``text`` is null until the question was asked, ``pages`` is
JSON."""

answer_changes = Table(
    "answer_changes",
    metadata,
    Column("job", String(32), ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("before", StorableText, nullable=False),
    Column("after", StorableText, nullable=False),
)
"""The answers that the job of an event changed."""
Index("answer_changes_answer", answer_changes.c.answer)

gap_notes = Table(
    "gap_notes",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("changed_at", UtcDateTime, nullable=False),
    Column("changed_by", StorableText(64), nullable=False),
    Column("done_at", UtcDateTime),
    Column("assigned_to", StorableText(64), nullable=False),
    Column("comment", StorableText, nullable=False),
)
"""Editors' notes on groups of questions, stored with the newest question of each: so a note stays with the
group when questions are regrouped, and is deleted with its questions."""
