"""Adds the provenance of answers."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add it."""
    op.add_column("answer_records", sa.Column("provenance", StorableText))
