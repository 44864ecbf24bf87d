"""Grades of answers to visitors."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "live_grades",
        sa.Column("answer", sa.String(32), primary_key=True),
        sa.Column("context", StorableText, nullable=False),
        sa.Column("grade", StorableText, nullable=False, server_default=""),
    )
    op.create_table(
        "live_grading",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("worker", sa.String(64), nullable=False),
        sa.Column("until", UtcDateTime, nullable=False),
    )
