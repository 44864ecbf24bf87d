"""The tables of contradictions, and of the versions of pages that were compared."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key

contradictions = Table(
    "contradictions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("pair", String(64), nullable=False, unique=True),
    Column("kind", StorableText, nullable=False),
    Column("source", StorableText(64), nullable=False),
    Column("id", StorableText, nullable=False),
    Column("language", StorableText(3), nullable=False),
    Column("text", StorableText, nullable=False),
    Column("other_source", StorableText(64), nullable=False),
    Column("other_id", StorableText, nullable=False),
    Column("other_language", StorableText(3), nullable=False, server_default=""),
    Column("other_text", StorableText, nullable=False),
    Column("found_at", UtcDateTime, nullable=False),
    Column("dismissed_by", StorableText(64)),
    Column("dismissed_at", UtcDateTime),
    sqlite_autoincrement=True,  # numbers are never reused
)
"""Statements of two pages that contradict each other. ``pair`` is a hash of both pages and texts, so that a
dismissal lasts until one of the texts changes."""
Index("contradictions_page", contradictions.c.source, contradictions.c.id)
Index("contradictions_other", contradictions.c.other_source, contradictions.c.other_id)

compared_pages = Table(
    "compared_pages",
    metadata,
    *page_key(),
    Column("sequence", BigInteger, nullable=False),
)
"""The versions of pages that were compared with others."""
