"""The pages of acts of law are found without reading all pages."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_IS_ACT = sa.text("kind = 'act'")


def upgrade() -> None:
    """Make the index."""
    op.create_index("pages_acts", "pages", ["source", "id"], sqlite_where=_IS_ACT, postgresql_where=_IS_ACT)
