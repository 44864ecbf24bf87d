"""Questions' vectors, and the groups of those that mean the same."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import UtcDateTime

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "answer_records",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("vector", sa.LargeBinary),
    )
    op.create_table(
        "question_groups",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
    )
    op.create_index("question_groups_number", "question_groups", ["number", "rank"])
    op.create_table(
        "groupings",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("requested_at", UtcDateTime),
        sa.Column("made_at", UtcDateTime),
        sa.Column("questions", sa.Integer, nullable=False),
        sa.Column("left", sa.Integer, nullable=False),
    )
