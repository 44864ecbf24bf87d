"""Reports of reconciliations."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "reconciliations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("generation", sa.BigInteger),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("problem", StorableText, nullable=False),
        sa.Column("found", StorableText, nullable=False),
    )
