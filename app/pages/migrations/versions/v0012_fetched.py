"""Adds the validators of fetched documents, so that unchanged ones need not be sent again."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "fetched",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText(), primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("url", StorableText(), nullable=False),
        sa.Column("etag", StorableText(), nullable=False),
        sa.Column("last_modified", StorableText(), nullable=False),
    )
