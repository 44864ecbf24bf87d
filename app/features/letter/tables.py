"""The table of the recipients of the weekly letter."""

from sqlalchemy import Column, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

letters = Table(
    "letters",
    metadata,
    Column("recipient", String(64), primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("week", String(10), nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("sent_at", UtcDateTime),
    Column("problem", StorableText, nullable=False),
    Column("stopped_at", UtcDateTime),
)
"""``recipient``: the hash of an address. ``key``: of the link that stops the letter. ``week``: the Monday of
the last week whose letter was begun; empty if there is none or it may be tried again."""
