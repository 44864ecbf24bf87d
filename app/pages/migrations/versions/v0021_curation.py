"""Adds the curation of answers."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Make the table, and the count of its changes."""
    op.create_table(
        "curation",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("content", StorableText, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("curation_site", "curation", ["site", "number"])
    meta = sa.table("meta", sa.column("name", sa.String), sa.column("value", sa.BigInteger))
    op.bulk_insert(meta, [{"name": "curation", "value": 0}])
