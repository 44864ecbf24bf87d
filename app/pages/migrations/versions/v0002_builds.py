"""The lease of whoever builds an index generation."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import UtcDateTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make its table."""
    op.create_table(
        "builds",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("worker", sa.String(64), nullable=False),
        sa.Column("since", UtcDateTime, nullable=False),
        sa.Column("until", UtcDateTime, nullable=False),
        sa.Column("generation", sa.BigInteger),
    )
