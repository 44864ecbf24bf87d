"""Contexts of chunks that a language model writes."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "contexts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("id", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("last_used", UtcDateTime, nullable=False),
    )
    op.create_index("contexts_page", "contexts", ["source", "id", "language"])
    op.create_index("contexts_last_used", "contexts", ["last_used"])
    op.create_table(
        "context_pages",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("due", sa.Boolean, nullable=False),
        sa.Column("chunks", sa.Integer, nullable=False),
        sa.Column("written", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("noted_at", UtcDateTime, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("claimed_by", sa.String(64)),
        sa.Column("claimed_until", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
    )
    op.create_index(
        "context_pages_due",
        "context_pages",
        ["attempts", "noted_at"],
        sqlite_where=sa.text("due = 1"),
        postgresql_where=sa.text("due"),
    )
    op.create_index("context_pages_worker", "context_pages", ["claimed_by"])
    op.create_table(
        "context_outages",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("since", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
    )
