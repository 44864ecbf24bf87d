"""The page store's first tables."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them, with the counter of sequences at 0."""
    meta = op.create_table(
        "meta",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(meta, [{"name": "sequence", "value": 0}])
    _create_pages()
    op.create_table(
        "bodies",
        *_key(),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["source", "id", "language"], ["pages.source", "pages.id", "pages.language"]),
    )
    op.create_table(
        "rejected",
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("document", StorableText, primary_key=True),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("message", StorableText, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "vectors",
        sa.Column("recipe", StorableText(64), primary_key=True),
        sa.Column("hash", StorableText(64), primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("last_used", UtcDateTime, nullable=False),
    )
    op.create_index("vectors_last_used", "vectors", ["last_used"])


def _key() -> list[sa.Column[str]]:
    return [
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
    ]


def _create_pages() -> None:
    op.create_table(
        "pages",
        *_key(),
        sa.Column("document", StorableText, nullable=False),
        sa.Column("url", StorableText, nullable=False),
        sa.Column("title", StorableText, nullable=False),
        sa.Column("kind", StorableText, nullable=False),
        sa.Column("updated", UtcDateTime),
        sa.Column("publish_from", UtcDateTime),
        sa.Column("publish_until", UtcDateTime),
        sa.Column("revision", sa.BigInteger),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
        sa.Column("excluded", sa.Boolean, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("indexed_sequence", sa.BigInteger, nullable=False),
        sa.Column("settled_sequence", sa.BigInteger, nullable=False),
        sa.Column("indexed_at", UtcDateTime),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("claimed_by", sa.String(64)),
        sa.Column("claimed_until", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("message", StorableText, nullable=False),
    )
    op.create_index("pages_document", "pages", ["source", "document"])
    op.create_index(
        "pages_queue",
        "pages",
        [sa.text("priority DESC"), "attempts", "sequence"],
        sqlite_where=sa.text("settled_sequence < sequence"),
        postgresql_where=sa.text("settled_sequence < sequence"),
    )
    op.create_index("pages_worker", "pages", ["claimed_by"])
