"""Adds the log of changes."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "audit_log",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("actor", StorableText(64), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("target", StorableText, nullable=False),
        sa.Column("before", StorableText),
        sa.Column("after", StorableText),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_log_actor", "audit_log", ["actor", "number"])
    op.create_index("audit_log_target", "audit_log", ["target", "number"])
