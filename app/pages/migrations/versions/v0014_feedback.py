"""Adds how answers ended, and visitors' feedback."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add them."""
    op.add_column("answers", sa.Column("status", sa.String(16), nullable=False, server_default="running"))
    op.create_table(
        "feedback",
        sa.Column("answer", sa.String(32), primary_key=True),
        sa.Column("rating", sa.String(8), nullable=False),
        sa.Column("comment", StorableText, nullable=False),
        sa.Column("given_at", UtcDateTime, nullable=False),
    )
