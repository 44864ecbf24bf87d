"""Adds the answers that changed when a page was saved."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Make the tables. The jobs that there are are not compared."""
    op.add_column("jobs", sa.Column("compared_at", UtcDateTime))
    op.execute("UPDATE jobs SET compared_at = accepted_at")
    op.create_index(
        "jobs_uncompared",
        "jobs",
        ["sequence"],
        sqlite_where=sa.text("compared_at IS NULL AND status = 'accepted'"),
        postgresql_where=sa.text("compared_at IS NULL AND status = 'accepted'"),
    )
    op.create_table(
        "standing_answers",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("setup", sa.String(64), nullable=False),
        sa.Column("text", StorableText),
        sa.Column("pages", StorableText, nullable=False),
    )
    op.create_table(
        "answer_changes",
        sa.Column("job", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("before", StorableText, nullable=False),
        sa.Column("after", StorableText, nullable=False),
    )
    op.create_index("answer_changes_answer", "answer_changes", ["answer"])
