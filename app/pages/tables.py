"""The page store's tables, in SQL that SQLite and PostgreSQL share; :mod:`app.pages.schema` makes them.

Large data (the raw page) and data that changes often (the queue) are in separate tables, so that a claim
never rewrites a 10 MB page. The state of a page is not stored but derived from three sequences and two flags
(:data:`app.pages.queries.STATE`).

* ``sequence``: the page's current version, strictly rising, from one counter for all pages.
* ``indexed_sequence``: the version the index has.
* ``settled_sequence``: the last version that was indexed or failed while it was the newest one. The queue is
  the rows in which it is lower than ``sequence``.
"""

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TextClause,
    and_,
    text,
)

from app.pages.column_types import StorableText, UtcDateTime

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Means "at once" in ``next_attempt_at`` and "not claimed" in ``claimed_until``."""


metadata = MetaData()


def page_key() -> tuple[Column[str], ...]:
    """Return the key columns of a table with one row for each page."""
    return (
        Column("source", StorableText(64), primary_key=True),
        Column("id", StorableText, primary_key=True),
        Column("language", StorableText(3), primary_key=True),
    )


def partial_index(name: str, *columns: Any, where: ColumnElement[bool] | TextClause) -> None:
    """Add an index of the rows that meet a condition."""
    Index(name, *columns, sqlite_where=where, postgresql_where=where)


meta = Table(
    "meta",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

pages = Table(
    "pages",
    metadata,
    *page_key(),
    Column("document", StorableText, nullable=False),
    Column("url", StorableText, nullable=False),
    Column("title", StorableText, nullable=False),
    Column("kind", StorableText, nullable=False),
    Column("updated", UtcDateTime),
    Column("publish_from", UtcDateTime),
    Column("publish_until", UtcDateTime),
    Column("revision", BigInteger),
    Column("content_hash", String(64), nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("excluded", Boolean, nullable=False, default=False),
    Column("sequence", BigInteger, nullable=False),
    Column("indexed_sequence", BigInteger, nullable=False, default=0),
    Column("settled_sequence", BigInteger, nullable=False, default=0),
    Column("indexed_at", UtcDateTime),
    Column("failed_at", UtcDateTime),
    Column("priority", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("claimed_by", String(64)),
    Column("claimed_until", UtcDateTime, nullable=False, default=EPOCH),
    Column("reason", StorableText, nullable=False),
    Column("message", StorableText, nullable=False),
    Column("accepted_at", UtcDateTime),
)

SERVED: Final = and_(~pages.c.deleted, ~pages.c.excluded)
"""The condition for pages that the index is to have."""

Index("pages_document", pages.c.source, pages.c.document)
partial_index(
    "pages_queue",
    pages.c.priority.desc(),
    pages.c.attempts,
    pages.c.sequence,
    where=pages.c.settled_sequence < pages.c.sequence,
)
Index("pages_worker", pages.c.claimed_by)
partial_index("pages_kept", pages.c.source, where=~pages.c.deleted)
partial_index("pages_acts", pages.c.source, pages.c.id, where=text("kind = 'act'"))

bodies = Table(
    "bodies",
    metadata,
    *page_key(),
    Column("body", Text, nullable=False),
    ForeignKeyConstraint(["source", "id", "language"], ["pages.source", "pages.id", "pages.language"]),
)
"""Fields and metadata as JSON (:mod:`app.pages.bodies`); a tombstone has none."""

rejected = Table(
    "rejected",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("document", StorableText, primary_key=True),
    Column("reason", StorableText, nullable=False),
    Column("message", StorableText, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)

builds = Table(
    "builds",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("worker", String(64), nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("generation", BigInteger),
)
"""The lease to build an index generation (:mod:`app.pages.builds`): at most one row, in slot 1."""

installation = Table(
    "installation",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("id", String(32), nullable=False),
    Column("indexed_in", StorableText, nullable=False),
)
"""The random id of this page store, and the index that has its pages, empty at first: one row, slot 1."""

vectors = Table(
    "vectors",
    metadata,
    Column("recipe", StorableText(64), primary_key=True),
    Column("hash", StorableText(64), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("last_used", UtcDateTime, nullable=False),
)
Index("vectors_last_used", vectors.c.last_used)

deletions = Table(
    "deletions",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("id", StorableText, primary_key=True),
    Column("revision", BigInteger, nullable=False),
)
"""The highest revision with which a page was deleted in all languages, including those not known yet."""

deliveries = Table(
    "deliveries",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("id", StorableText, primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
"""Accepted messages by their sender's id, so that repeating one does nothing."""
Index("deliveries_at", deliveries.c.at)

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("source", StorableText(64), nullable=False),
    Column("page", StorableText, nullable=False),
    Column("language", StorableText(3)),
    Column("sequence", BigInteger, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", StorableText, nullable=False),
    Column("delivery", StorableText, nullable=False),
    Column("position", Integer, nullable=False),
    Column("accepted_at", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime),
    Column("compared_at", UtcDateTime),
    Column("characters", Integer),
)
"""The changes that messages asked for, one row for each page (:mod:`app.pages.jobs`). ``fetched_at``: when an
announced page was fetched or given up. ``compared_at``: when the answers that it changed were determined.
``characters``: the length of the version that it brought, null if it brought none."""
Index("jobs_delivery", jobs.c.source, jobs.c.delivery)
Index("jobs_accepted_at", jobs.c.accepted_at)
Index("jobs_sequence", jobs.c.sequence)
partial_index("jobs_announced", jobs.c.source, jobs.c.page, where=jobs.c.status == "announced")
partial_index("jobs_uncompared", jobs.c.sequence, where=text("compared_at IS NULL AND status = 'accepted'"))

announcements = Table(
    "announcements",
    metadata,
    *page_key(),
    Column("revision", BigInteger),
    Column("republish", Boolean, nullable=False),
    Column("announced_at", UtcDateTime, nullable=False),
    Column("arrivals", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("claimed_by", String(64)),
    Column("claimed_until", UtcDateTime, nullable=False),
    Column("reason", StorableText, nullable=False),
    Column("record", StorableText, nullable=False, server_default=""),
)
"""Pages to be fetched, except for the values in ``record`` (:mod:`app.pages.announcements`)."""

counters = Table(
    "tallies",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("first", StorableText(64), primary_key=True),
    Column("second", StorableText(64), primary_key=True),
    Column("value", Double, nullable=False),
)
"""Counts of events so far (:mod:`app.pages.counters`)."""

rebuilds = Table(
    "rebuilds",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("source", StorableText(64)),
    Column("take_over", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("cancelled", Boolean, nullable=False, default=False),
    Column("reason", StorableText, nullable=False, default=""),
    Column("generation", BigInteger),
    Column("pages", Integer, nullable=False, default=0),
    Column("written", Integer, nullable=False, default=0),
    Column("failed", Integer, nullable=False, default=0),
    Column("requested_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    Column("worker", String(64)),
    Column("until", UtcDateTime, nullable=False, default=EPOCH),
)
"""The last rebuilds through the queue; ``worker`` has the lease to start or end one, valid ``until`` then."""

rebuild_pages = Table(
    "rebuild_pages",
    metadata,
    *page_key(),
    Column("sequence", BigInteger, nullable=False),
    Column("settled", Boolean, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("claimed_by", String(64)),
    Column("claimed_until", UtcDateTime, nullable=False),
    Column("reason", StorableText, nullable=False),
    Column("message", StorableText, nullable=False),
)
"""The pages that the rebuild in progress has to write, with outcomes once they are ``settled``."""
partial_index(
    "rebuild_pages_due",
    rebuild_pages.c.attempts,
    rebuild_pages.c.source,
    rebuild_pages.c.id,
    where=text("NOT settled"),
)
Index("rebuild_pages_worker", rebuild_pages.c.claimed_by)

reconciliations = Table(
    "reconciliations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("generation", BigInteger),
    Column("pages", Integer, nullable=False),
    Column("problem", StorableText, nullable=False),
    Column("found", StorableText, nullable=False),
)
"""The latest comparisons of page store and index (:mod:`app.pages.reconciliations`); ``found`` is JSON."""

step_faults = Table(
    "step_faults",
    metadata,
    Column("step", String(64), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("problem", StorableText, nullable=False),
)
"""The last fault of each background step (:mod:`app.pages.step_faults`)."""
