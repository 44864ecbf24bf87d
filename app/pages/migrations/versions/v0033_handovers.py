"""Adds the table of messages that visitors hand over to a person."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Make the table."""
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
