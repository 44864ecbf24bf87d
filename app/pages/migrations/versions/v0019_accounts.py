"""The people who use the console, and their sessions."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "users",
        sa.Column("name", StorableText(64), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("sources", StorableText),
        sa.Column("password", sa.String(200)),
        sa.Column("key", sa.String(64), unique=True),
        sa.Column("key_until", UtcDateTime),
        sa.Column("added_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "user_sessions",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("user", StorableText(64), nullable=False),
        sa.Column("opened_at", UtcDateTime, nullable=False),
        sa.Column("used_at", UtcDateTime, nullable=False),
    )
    op.create_index("user_sessions_by_user", "user_sessions", ["user"])
