"""Adds annotations of units of law."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Make the table, and the count of its changes."""
    op.create_table(
        "annotations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("act", StorableText(64), nullable=False),
        sa.Column("unit", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("content", StorableText, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("source", "act", "unit", "language", "text_hash"),
        sqlite_autoincrement=True,
    )
    meta = sa.table("meta", sa.column("name", sa.String), sa.column("value", sa.BigInteger))
    op.bulk_insert(meta, [{"name": "annotations", "value": 0}])
