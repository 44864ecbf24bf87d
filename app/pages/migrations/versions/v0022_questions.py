"""Adds a table of visitors' questions beside their answers, which are large."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0022"
down_revision = "0021"

_READ_AT_ONCE = 500
_OUTCOMES = {
    "running": "unfinished",
    "interrupted": "unfinished",
    "answered": "answered",
    "greeting": "answered",
    "partly": "partly",
    "unverified": "partly",
    "extractive": "partly",  # nothing says any more whether the passages only came near
    "no_answer": "none",
    "out_of_scope": "refused",
}


def upgrade() -> None:
    """Make the table, and fill it from the answers."""
    questions = op.create_table(
        "questions",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("asked_at", UtcDateTime, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("words", StorableText, nullable=False),
    )
    _fill(questions)
    op.create_index("questions_listed", "questions", ["asked_at", "answer", "site", "outcome", "language"])


def _fill(questions: sa.Table) -> None:
    connection = op.get_bind()
    answers = sa.table(
        "answers",
        sa.column("id"),
        sa.column("conversation"),
        sa.column("question"),
        sa.column("status"),
        sa.column("started_at", UtcDateTime),
    )
    conversations = sa.table("conversations", sa.column("id"), sa.column("site"))
    first = (
        sa.select(answers, conversations.c.site)
        .join(conversations, conversations.c.id == answers.c.conversation)
        .order_by(answers.c.id)
        .limit(_READ_AT_ONCE)
    )
    rest = first
    while rows := connection.execute(rest).all():
        values = [
            {
                "answer": row.id,
                "site": row.site,
                "asked_at": row.started_at,
                "outcome": _OUTCOMES.get(row.status, "failed"),
                "language": "",
                "words": row.question.casefold(),
            }
            for row in rows
        ]
        connection.execute(sa.insert(questions), values)
        rest = first.where(answers.c.id > rows[-1].id)
