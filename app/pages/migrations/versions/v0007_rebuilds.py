"""Rebuilds of the index through the queue."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "rebuilds",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("source", StorableText(64)),
        sa.Column("take_over", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("cancelled", sa.Boolean, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("generation", sa.BigInteger),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("written", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("requested_at", UtcDateTime, nullable=False),
        sa.Column("started_at", UtcDateTime),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("worker", sa.String(64)),
        sa.Column("until", UtcDateTime, nullable=False),
    )
    op.create_table(
        "rebuild_pages",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("settled", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("claimed_by", sa.String(64)),
        sa.Column("claimed_until", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("message", StorableText, nullable=False),
    )
    due = sa.text("NOT settled")
    op.create_index(
        "rebuild_pages_due",
        "rebuild_pages",
        ["attempts", "source", "id"],
        sqlite_where=due,
        postgresql_where=due,
    )
    op.create_index("rebuild_pages_worker", "rebuild_pages", ["claimed_by"])
