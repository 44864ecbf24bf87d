"""The table of messages that visitors hand over to a person."""

from typing import Final

from sqlalchemy import Column, Index, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.leases import LeaseTable
from app.pages.tables import EPOCH, metadata

handovers = Table(
    "handovers",
    metadata,
    Column("number", String(7), primary_key=True),
    Column("form_key", String(32), nullable=False, unique=True),
    Column("site", StorableText(64), nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("delete_at", UtcDateTime, nullable=False),
    Column("content", StorableText, nullable=False),
    Column("sent_at", UtcDateTime),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("failing_since", UtcDateTime),
    Column("problem", StorableText, nullable=False),
    Column("worker", String(64)),
    Column("until", UtcDateTime, nullable=False),
)
"""The messages, with the worker that is sending each. ``content``: JSON until it is sent, then empty.
``form_key``: a hash of its form's key, so that a form is accepted once."""
Index("handovers_due", handovers.c.sent_at, handovers.c.next_attempt_at)
Index("handovers_made_at", handovers.c.made_at)

LEASES: Final = LeaseTable(table=handovers, free={"worker": None, "until": EPOCH})
"""The leases of workers on the messages that they send."""
