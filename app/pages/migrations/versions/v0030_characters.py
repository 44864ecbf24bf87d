"""Adds the length of each version of a page."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add the count; of versions that came before it is not known."""
    op.add_column("jobs", sa.Column("characters", sa.Integer))
