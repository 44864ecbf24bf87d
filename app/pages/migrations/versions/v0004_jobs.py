"""Adds jobs of messages, deletes in all languages, and the time of a page's failure."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    op.add_column("pages", sa.Column("failed_at", UtcDateTime))
    op.create_table(
        "deletions",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
    )
    op.create_index("deliveries_at", "deliveries", ["at"])
    _create_jobs()


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("page", StorableText, nullable=False),
        sa.Column("language", StorableText(3)),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("delivery", StorableText, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("accepted_at", UtcDateTime, nullable=False),
    )
    op.create_index("jobs_delivery", "jobs", ["source", "delivery"])
    op.create_index("jobs_accepted_at", "jobs", ["accepted_at"])
