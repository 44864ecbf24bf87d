"""Adds what a pull follows and which page it reads, and the pages whose reading ended a worker."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    """Change the tables."""
    op.add_column("pulls", sa.Column("begun", StorableText, nullable=False, server_default=""))
    op.add_column("pulls", sa.Column("recipe", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "fatal",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("address", StorableText, primary_key=True),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
    )
