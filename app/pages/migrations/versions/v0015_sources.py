"""The sources that have pages are found without reading all pages."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the index."""
    op.create_index(
        "pages_kept",
        "pages",
        ["source"],
        sqlite_where=sa.text("deleted = 0"),
        postgresql_where=sa.text("NOT deleted"),
    )
