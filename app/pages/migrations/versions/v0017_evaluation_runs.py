"""Evaluations on pools of questions."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "evaluation_runs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("document", StorableText, nullable=False),
        sa.Column("results", StorableText, nullable=False),
        sqlite_autoincrement=True,
    )
