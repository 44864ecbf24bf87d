"""The last fault of each background step."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "step_faults",
        sa.Column("step", sa.String(64), primary_key=True),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("problem", StorableText, nullable=False),
    )
