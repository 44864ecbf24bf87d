"""Judges what was asked anew; adds the tables for hand-overs, untold facts, notes on gaps, letters, texts of
sites and crawls, and how far pulls are."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0039"
down_revision = "0032"

_JUDGE = (
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
    """Judge by what is stored, and change the tables."""
    for statement in _JUDGE:
        op.execute(statement)
    _create_handovers()
    _create_site_tables()
    op.create_table(
        "crawled",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("address", StorableText, primary_key=True),
        sa.Column("note", sa.LargeBinary, nullable=False),
    )
    op.add_column("pulls", sa.Column("halt", sa.String(16), nullable=False, server_default=""))
    op.add_column("pulls", sa.Column("halted_for", StorableText, nullable=False, server_default=""))
    op.add_column("pulls", sa.Column("done", sa.Integer, nullable=False, server_default="0"))
    op.add_column("pulls", sa.Column("seconds", sa.Double, nullable=False, server_default="0"))


def _create_handovers() -> None:
    op.create_table(
        "handovers",
        sa.Column("number", sa.String(7), primary_key=True),
        sa.Column("form_key", sa.String(32), nullable=False, unique=True),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("made_at", UtcDateTime, nullable=False),
        sa.Column("delete_at", UtcDateTime, nullable=False),
        sa.Column("content", StorableText, nullable=False),
        sa.Column("sent_at", UtcDateTime),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("failing_since", UtcDateTime),
        sa.Column("problem", StorableText, nullable=False),
        sa.Column("worker", sa.String(64)),
        sa.Column("until", UtcDateTime, nullable=False),
    )
    op.create_index("handovers_due", "handovers", ["sent_at", "next_attempt_at"])
    op.create_index("handovers_made_at", "handovers", ["made_at"])


def _create_site_tables() -> None:
    op.create_table(
        "silent_pages",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("silenced_by", StorableText(64), nullable=False),
        sa.Column("silenced_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "gap_notes",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("done_at", UtcDateTime),
        sa.Column("assigned_to", StorableText(64), nullable=False),
        sa.Column("comment", StorableText, nullable=False),
    )
    op.create_table(
        "letters",
        sa.Column("recipient", sa.String(64), primary_key=True),
        sa.Column("key", sa.String(64), nullable=False, unique=True),
        sa.Column("week", sa.String(10), nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("sent_at", UtcDateTime),
        sa.Column("problem", StorableText, nullable=False),
        sa.Column("stopped_at", UtcDateTime),
    )
    op.create_table(
        "site_texts",
        sa.Column("site", StorableText(64), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("texts", StorableText, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
    )
