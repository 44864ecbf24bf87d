"""Announced pages of which all is known but the text of a file, which has to be fetched."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Add the record; the pages announced before are asked for as a whole."""
    op.add_column("announcements", sa.Column("record", StorableText, nullable=False, server_default=""))
