"""Pages that contradict each other."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "contradictions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("pair", sa.String(64), nullable=False, unique=True),
        sa.Column("kind", StorableText, nullable=False),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("id", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("other_source", StorableText(64), nullable=False),
        sa.Column("other_id", StorableText, nullable=False),
        sa.Column("other_text", StorableText, nullable=False),
        sa.Column("found_at", UtcDateTime, nullable=False),
        sa.Column("dismissed_by", StorableText(64)),
        sa.Column("dismissed_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("contradictions_page", "contradictions", ["source", "id"])
    op.create_index("contradictions_other", "contradictions", ["other_source", "other_id"])
    op.create_table(
        "compared_pages",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
