"""The table of editors' decisions about answers."""

from sqlalchemy import Column, Index, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

curation = Table(
    "curation",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("site", StorableText(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("content", StorableText, nullable=False),
    Column("changed_by", StorableText(64), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,  # numbers are never reused
)
"""Editors' decisions; ``content`` is JSON. The row ``curation`` of the table ``meta`` counts the changes, so
that every process notices them."""
Index("curation_site", curation.c.site, curation.c.number)
