"""Conversations of visitors with their answers."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("used_at", UtcDateTime, nullable=False),
    )
    op.create_index("conversations_by_use", "conversations", ["site", "used_at"])
    op.create_table(
        "answers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("conversation", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("question", StorableText, nullable=False),
        sa.Column("document", StorableText),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sa.UniqueConstraint("conversation", "number"),
    )
    op.create_index("answers_by_start", "answers", ["started_at"])
