"""Adds the ids of the page store and of the index that its pages are in."""

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table with its one row."""
    installation = op.create_table(
        "installation",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("indexed_in", StorableText, nullable=False),
    )
    op.bulk_insert(installation, [{"slot": 1, "id": uuid4().hex, "indexed_in": ""}])
