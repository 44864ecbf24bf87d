"""The page store's tables of conversations, and of their questions as editors see them. Every row is deleted
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
"""Questions of conversations by number, with answers; ``document`` is JSON, null while an answer is
written."""

Index("answers_by_start", answers.c.started_at)

feedback = Table(
    "feedback",
    metadata,
    Column("answer", String(32), primary_key=True),
    Column("rating", String(8), nullable=False),
    Column("comment", StorableText, nullable=False),
    Column("given_at", UtcDateTime, nullable=False),
)
"""Visitors' ratings of answers (:mod:`app.chat.feedback`)."""

live_grades = Table(
    "live_grades",
    metadata,
    Column("answer", String(32), primary_key=True),
    Column("context", StorableText, nullable=False),
    Column("grade", StorableText, nullable=False, default="", server_default=""),
)
"""Answers that may be graded. ``context``: the text that the model was given, emptied after grading;
``grade``: JSON, or empty."""

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
"""The values that filter lists of questions, so that scanning all questions does not load the answers'
documents, which are a hundred times as large. ``words``: the question in lower case. ``outcome`` and
``reaction``: :mod:`app.chat.outcomes`."""

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
"""Data about an answer that is not in its document. ``vector``: the question's vector as searched, in
float16, or null; ``recipe``: the hash of its embedder's recipe. ``provenance``: JSON
(:mod:`app.chat.provenance`), null for answers of earlier versions."""

citations = Table(
    "citations",
    metadata,
    Column("answer", String(32), ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
    *page_key(),
)
"""The pages that an answer cites."""
Index("citations_page", citations.c.source, citations.c.id, citations.c.language)
