"""Adds the language of the other page of a contradiction, and what a pull was halted for.

All pages are compared anew.
"""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Change the tables. What nobody dismissed is found again where it is one."""
    op.execute("DELETE FROM contradictions WHERE dismissed_by IS NULL")
    op.execute("DELETE FROM compared_pages")
    op.add_column(
        "contradictions", sa.Column("other_language", StorableText(3), nullable=False, server_default="")
    )
    op.execute("UPDATE contradictions SET other_language = language")
    op.add_column("pulls", sa.Column("halt", sa.String(16), nullable=False, server_default=""))
    op.add_column("pulls", sa.Column("halted_for", StorableText, nullable=False, server_default=""))
