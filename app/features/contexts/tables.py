"""The page store's tables of contexts (:mod:`app.features.contexts.store`)."""

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
"""Contexts of chunks written by a language model (:mod:`app.features.contexts.store`), with the page and
version that last used each. ``text`` is empty while all ``tries`` have failed, the last for this
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
"""The pages whose chunks get contexts, as last indexed: the number of their chunks, and of those with a
context; ``due`` while any lacks one that can still be written. ``recipe``: of model and prompt."""
partial_index(
    "context_pages_due",
    context_pages.c.attempts,
    context_pages.c.noted_at,
    where=context_pages.c.due == true(),
)
Index("context_pages_worker", context_pages.c.claimed_by)

CLAIMS: Final = ClaimTable(table=context_pages, next_attempt=context_pages.c.next_attempt_at)
"""The claims of workers on pages to write contexts for."""

context_outages = Table(
    "context_outages",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("since", UtcDateTime, nullable=False),
    Column("reason", StorableText, nullable=False),
)
"""The time since which the model is away: at most one row, in slot 1."""
