"""Words of one language with their translations in another, learned from pages in both."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "terms",
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("stem", StorableText, primary_key=True),
        sa.Column("other", StorableText(3), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("word", StorableText, nullable=False),
        sa.Column("learned_at", UtcDateTime, nullable=False),
    )
