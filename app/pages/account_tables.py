"""The page store's tables of people who use the console."""

from sqlalchemy import Column, Index, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

users = Table(
    "users",
    metadata,
    Column("name", StorableText(64), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("sources", StorableText),
    Column("password", String(200)),
    Column("key", String(64), unique=True),
    Column("key_until", UtcDateTime),
    Column("added_at", UtcDateTime, nullable=False),
)
"""People who use the console (:mod:`app.accounts.users`). ``sources``: JSON, null for all. ``key``: the hash
of a one-time link's key."""

user_sessions = Table(
    "user_sessions",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("user", StorableText(64), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("used_at", UtcDateTime, nullable=False),
)
"""Sessions of people who are logged in (:mod:`app.accounts.sessions`); ``token`` is a hash."""

Index("user_sessions_by_user", user_sessions.c.user)
