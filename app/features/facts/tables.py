"""The table of pages whose facts editors have switched off."""

from typing import Final

from sqlalchemy import Column, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key

silent_pages: Final = Table(
    "silent_pages",
    metadata,
    *page_key(),
    Column("silenced_by", StorableText(64), nullable=False),
    Column("silenced_at", UtcDateTime, nullable=False),
)
"""Pages whose cards were wrong: visitors get passages without a card."""
