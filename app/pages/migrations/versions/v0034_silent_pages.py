"""Adds the table of pages whose facts are not told."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "silent_pages",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("silenced_by", StorableText(64), nullable=False),
        sa.Column("silenced_at", UtcDateTime, nullable=False),
    )
