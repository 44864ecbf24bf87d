"""Adds the pool of questions that is asked in the background."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "asked_pools",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", StorableText, nullable=False),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("results", StorableText, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("not_reranked", sa.Integer, nullable=False),
        sa.Column("failure", StorableText, nullable=False),
    )
