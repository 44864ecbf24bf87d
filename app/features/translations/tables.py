"""The table of words that mean the same in two languages."""

from sqlalchemy import Column, Integer, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

terms = Table(
    "terms",
    metadata,
    Column("language", StorableText(3), primary_key=True),
    Column("stem", StorableText, primary_key=True),
    Column("other", StorableText(3), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("word", StorableText, nullable=False),
    Column("learned_at", UtcDateTime, nullable=False),
)
"""Translations of words; ``place`` 1 is the most likely (:mod:`app.features.translations.store`)."""
