"""Pages that were announced without their fields, and pulls that were stopped."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table; jobs and pulls get what they need for it."""
    op.create_table(
        "announcements",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("revision", sa.BigInteger),
        sa.Column("republish", sa.Boolean, nullable=False),
        sa.Column("announced_at", UtcDateTime, nullable=False),
        sa.Column("arrivals", sa.Integer, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("claimed_by", sa.String(64)),
        sa.Column("claimed_until", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
    )
    op.add_column("jobs", sa.Column("fetched_at", UtcDateTime))
    is_announced = sa.text("status = 'announced'")
    op.create_index(
        "jobs_announced",
        "jobs",
        ["source", "page"],
        sqlite_where=is_announced,
        postgresql_where=is_announced,
    )
    op.add_column("pulls", sa.Column("left", sa.Integer, nullable=False, server_default="0"))
