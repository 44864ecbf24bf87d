"""The page store's tables of what editors see of questions. Every row is deleted with its answer."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key

questions = Table(
    "questions",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("site", StorableText(64), nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("outcome", String(16), nullable=False, default="unfinished"),
    Column("language", StorableText(3), nullable=False, default=""),
    Column("reaction", String(16), nullable=False, default="", server_default=""),
    Column("words", StorableText, nullable=False),
)
"""What lists of questions are filtered by: a read of all of them leaves the answers' documents aside, which
are a hundred times as large. ``words``: the question in lower case. ``outcome`` and ``reaction``:
:mod:`app.chat.outcomes`."""

Index(
    "questions_listed",
    questions.c.asked_at,
    questions.c.answer,
    questions.c.site,
    questions.c.outcome,
    questions.c.language,
)

answer_records = Table(
    "answer_records",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    Column("recipe", String(64), nullable=False),
    Column("vector", LargeBinary),
    Column("provenance", StorableText),
)
"""What is kept of an answer beside its document. ``vector``: the question's as it was searched, in float16,
null if it has none; ``recipe``: the hash of its embedder's. ``provenance``: JSON
(:mod:`app.chat.provenance`), null for answers of earlier versions."""

citations = Table(
    "citations",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    *page_key(),
)
"""The pages that an answer cites."""
Index("citations_page", citations.c.source, citations.c.id, citations.c.language)
