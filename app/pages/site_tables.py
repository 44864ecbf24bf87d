"""The page store's table of site texts that admins wrote in the console."""

from sqlalchemy import Column, Integer, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

site_texts = Table(
    "site_texts",
    metadata,
    Column("site", StorableText(64), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("texts", StorableText, nullable=False),
    Column("changed_by", StorableText(64), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)
"""Texts that replace those of the settings (:mod:`app.pages.site_texts`); ``texts`` is JSON, by name."""
