"""Pulls of sources, and what their listings said of each page."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "pulls",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("worker", sa.String(64)),
        sa.Column("until", UtcDateTime),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("complete_at", UtcDateTime),
        sa.Column("updated_after", UtcDateTime),
        sa.Column("problem", StorableText, nullable=False),
    )
    op.create_table(
        "listed",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("taken", sa.Boolean, nullable=False),
        sa.Column("revision", sa.BigInteger),
        sa.Column("updated", UtcDateTime),
        sa.Column("awaited_since", UtcDateTime),
        sa.Column("absences", sa.Integer, nullable=False),
        sa.Column("vanished", sa.Boolean, nullable=False),
    )
