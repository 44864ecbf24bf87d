"""The page store's tables of pulls."""

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key

pulls = Table(
    "pulls",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("worker", String(64)),
    Column("until", UtcDateTime),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("complete_at", UtcDateTime),
    Column("updated_after", UtcDateTime),
    Column("problem", StorableText, nullable=False),
    Column("done", Integer, nullable=False, default=0, server_default="0"),
    Column("left", Integer, nullable=False, default=0, server_default="0"),
    Column("seconds", Double, nullable=False, default=0.0, server_default="0"),
    Column("begun", StorableText, nullable=False, default="", server_default=""),
    Column("recipe", String(64), nullable=False, default="", server_default=""),
    Column("halt", String(16), nullable=False, default="", server_default=""),
    Column("halted_for", StorableText, nullable=False, default="", server_default=""),
)
"""Each source's last pull. ``worker`` has its lease (:mod:`app.pages.leases`) ``until`` then, and has
``begun`` to read a page. ``recipe``: a digest of the settings that it follows. ``halted_for``: a JSON list of
reasons why it was halted; ``halt``: the decision about them; both empty if it was not."""

listed = Table(
    "listed",
    metadata,
    *page_key(),
    Column("taken", Boolean, nullable=False),
    Column("revision", BigInteger),
    Column("updated", UtcDateTime),
    Column("awaited_since", UtcDateTime),
    Column("absences", Integer, nullable=False),
    Column("vanished", Boolean, nullable=False),
)
"""The state of pages in listings (:class:`app.pages.pulls.ListedPage`)."""

fetched = Table(
    "fetched",
    metadata,
    *page_key(),
    Column("url", StorableText, nullable=False),
    Column("etag", StorableText, nullable=False),
    Column("last_modified", StorableText, nullable=False),
)
"""The validators by which servers confirm that a document is still the accepted one."""

crawled = Table(
    "crawled",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("address", StorableText, primary_key=True),
    Column("note", LargeBinary, nullable=False),
)
"""Notes on each address, made by pulls that are not over yet (:mod:`app.pages.crawl_notes`)."""

fatal = Table(
    "fatal",
    metadata,
    Column("source", StorableText(64), primary_key=True),
    Column("address", StorableText, primary_key=True),
    Column("times", Integer, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
"""Number of ``times`` that a worker died while it read a page for a pull, and the time of the last one."""
