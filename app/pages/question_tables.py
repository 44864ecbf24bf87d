"""The page store's tables of conversations, and of what editors see of their questions. Every row is deleted
with its answer."""

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, String, Table, UniqueConstraint

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata, page_key

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("site", StorableText(64), nullable=False),
    Column("used_at", UtcDateTime, nullable=False),
)
"""Visitors' conversations (:mod:`app.chat.conversations`); ``used_at``: when the last question came."""
Index("conversations_by_use", conversations.c.site, conversations.c.used_at)

answers = Table(
    "answers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation", String(32), nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", StorableText, nullable=False),
    Column("document", StorableText),
    Column("status", String(16), nullable=False, default="running", server_default="running"),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    UniqueConstraint("conversation", "number"),
)
"""Their questions by number, with the answers; ``document`` is JSON, null while one is being written."""

Index("answers_by_start", answers.c.started_at)

feedback = Table(
    "feedback",
    metadata,
    Column("answer", String(32), primary_key=True),
    Column("rating", String(8), nullable=False),
    Column("comment", StorableText, nullable=False),
    Column("given_at", UtcDateTime, nullable=False),
)
"""The opinions of visitors on answers (:mod:`app.chat.feedback`)."""

live_grades = Table(
    "live_grades",
    metadata,
    Column("answer", String(32), primary_key=True),
    Column("context", StorableText, nullable=False),
    Column("grade", StorableText, nullable=False, default="", server_default=""),
)
"""Answers that may be graded, deleted with their answers. ``context``: what the model read, emptied once that
is done; ``grade``: in JSON, or empty."""

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
