"""The page store's table of changes made by people."""

from sqlalchemy import Column, Index, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

audit_log = Table(
    "audit_log",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", StorableText(64), nullable=False),
    Column("action", String(64), nullable=False),
    Column("target", StorableText, nullable=False),
    Column("before", StorableText),
    Column("after", StorableText),
    sqlite_autoincrement=True,  # numbers are never reused
)
"""Changes that people made (:mod:`app.pages.audit`); ``before`` and ``after`` are JSON, or null."""
Index("audit_log_actor", audit_log.c.actor, audit_log.c.number)
Index("audit_log_target", audit_log.c.target, audit_log.c.number)
