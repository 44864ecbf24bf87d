"""The table of annotations."""

from sqlalchemy import Column, Integer, String, Table, UniqueConstraint

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

annotations = Table(
    "annotations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("source", StorableText(64), nullable=False),
    Column("act", StorableText(64), nullable=False),
    Column("unit", StorableText, nullable=False),
    Column("language", StorableText(3), nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("text", StorableText, nullable=False),
    Column("content", StorableText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("changed_by", StorableText(64), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    UniqueConstraint("source", "act", "unit", "language", "text_hash"),
    sqlite_autoincrement=True,  # numbers are never reused
)
"""Cuts and references that people gave pages and units of law, with the text that they saw; ``content`` is
JSON. The row ``annotations`` of the table ``meta`` counts the changes."""
