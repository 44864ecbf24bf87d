"""Since when pages wait, what has happened so far, and which job a version came from."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add them."""
    op.add_column("pages", sa.Column("accepted_at", UtcDateTime))
    op.create_index("jobs_sequence", "jobs", ["sequence"])
    op.create_table(
        "tallies",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("first", StorableText(64), primary_key=True),
        sa.Column("second", StorableText(64), primary_key=True),
        sa.Column("value", sa.Double, nullable=False),
    )
