"""Adds the table of who gets the weekly letter."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Make the table."""
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
