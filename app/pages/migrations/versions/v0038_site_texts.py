"""Adds the table of the sites' texts that admins wrote in the console."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "site_texts",
        sa.Column("site", StorableText(64), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("texts", StorableText, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
    )
