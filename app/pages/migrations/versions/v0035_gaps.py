"""Judges what was asked anew, and adds the table of editors' notes on gaps."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0035"
down_revision = "0034"

_JUDGE = (
    "UPDATE questions SET outcome = 'doubtful' WHERE outcome = 'partly'",
    "UPDATE questions SET outcome = 'unanswered' WHERE outcome IN ('none', 'failed', 'refused')",
    "UPDATE questions SET outcome = 'doubtful' WHERE outcome = 'answered' AND answer IN"
    """ (SELECT id FROM answers WHERE document LIKE '%"certainty": "near"%')""",
    "UPDATE questions SET outcome = 'other' WHERE answer IN (SELECT id FROM answers WHERE status = 'greeting'"
    """ OR (status = 'out_of_scope' AND document LIKE '%"mode": null%'))""",
    "UPDATE questions SET outcome = CASE outcome WHEN 'answered' THEN 'doubtful' ELSE 'unanswered' END"
    " WHERE outcome IN ('answered', 'doubtful') AND answer IN"
    " (SELECT answer FROM feedback WHERE rating = 'down')",
)
"""Documents are read as texts: there may be many."""


def upgrade() -> None:
    """Judge by what is stored, and make the table."""
    op.add_column("questions", sa.Column("reaction", sa.String(16), nullable=False, server_default=""))
    for statement in _JUDGE:
        op.execute(statement)
    op.create_table(
        "gap_notes",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("done_at", UtcDateTime),
        sa.Column("assigned_to", StorableText(64), nullable=False),
        sa.Column("comment", StorableText, nullable=False),
    )
