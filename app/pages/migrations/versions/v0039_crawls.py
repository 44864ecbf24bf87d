"""Adds the table of what a pull of a website has visited, and how far pulls are."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "crawled",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("address", StorableText, primary_key=True),
        sa.Column("note", sa.LargeBinary, nullable=False),
    )
    op.add_column("pulls", sa.Column("done", sa.Integer, nullable=False, server_default="0"))
    op.add_column("pulls", sa.Column("seconds", sa.Double, nullable=False, server_default="0"))
