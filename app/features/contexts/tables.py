"""The page store's tables of contexts that a language model writes (:mod:`app.features.contexts.store`)."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, true

from app.pages.claims import ClaimTable
from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key, partial_index

contexts = Table(
    "contexts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("source", StorableText(64), nullable=False),
    Column("id", StorableText, nullable=False),
    Column("language", StorableText(3), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("text", StorableText, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("reason", StorableText, nullable=False),
    Column("last_used", UtcDateTime, nullable=False),
)
"""Contexts of chunks that a language model wrote (:mod:`app.features.contexts.store`), with the page and
version that used each last. ``text`` is empty while every one of the ``tries`` failed, the last for this
``reason``."""
Index("contexts_page", contexts.c.source, contexts.c.id, contexts.c.language)
Index("contexts_last_used", contexts.c.last_used)

context_pages = Table(
    "context_pages",
    metadata,
    *page_key(),
    Column("sequence", BigInteger, nullable=False),
    Column("recipe", String(64), nullable=False),
    Column("due", Boolean, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("written", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("noted_at", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("claimed_by", String(64)),
    Column("claimed_until", UtcDateTime, nullable=False),
    Column("reason", StorableText, nullable=False),
)
"""The pages whose chunks get contexts, as they were indexed last: how many chunks they have, and how many of
these have one; ``due`` while any lacks one that can be had. ``recipe``: of model and prompt."""
partial_index(
    "context_pages_due",
    context_pages.c.attempts,
    context_pages.c.noted_at,
    where=context_pages.c.due == true(),
)
Index("context_pages_worker", context_pages.c.claimed_by)

CLAIMS: Final = ClaimTable(table=context_pages, next_attempt=context_pages.c.next_attempt_at)
"""Who writes the contexts of which page."""

context_outages = Table(
    "context_outages",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("since", UtcDateTime, nullable=False),
    Column("reason", StorableText, nullable=False),
)
"""Since when the model that writes contexts is away: one row at most, in slot 1."""
