"""Adds the tables for accounts, curation, annotations, contexts, grades, questions and terms."""

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText, UtcDateTime

revision = "0032"
down_revision = "0014"

_READ_AT_ONCE = 500
_OUTCOMES = {
    "running": "unfinished",
    "interrupted": "unfinished",
    "answered": "answered",
    "greeting": "answered",
    "partly": "doubtful",
    "unverified": "doubtful",
    "extractive": "doubtful",  # nothing says any more whether the passages only came near
    "no_answer": "unanswered",
    "out_of_scope": "unanswered",
}


def upgrade() -> None:
    """Make the tables, and fill the questions from the answers. The jobs that there are are not compared."""
    _extend_pages_and_jobs()
    _create_accounts()
    _create_curation()
    _create_annotations()
    _create_contexts()
    _create_contradictions()
    _create_evaluation()
    _create_questions()
    _create_question_groups()
    _create_answer_changes()
    op.create_table(
        "terms",
        sa.Column("language", StorableText(3), primary_key=True),
        sa.Column("stem", StorableText, primary_key=True),
        sa.Column("other", StorableText(3), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("word", StorableText, nullable=False),
        sa.Column("learned_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "step_faults",
        sa.Column("step", sa.String(64), primary_key=True),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("problem", StorableText, nullable=False),
    )


def _page_key() -> list[sa.Column[str]]:
    return [
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
    ]


def _answer_key() -> sa.Column[str]:
    return sa.Column(
        "answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True
    )


def _extend_pages_and_jobs() -> None:
    op.create_index(
        "pages_kept",
        "pages",
        ["source"],
        sqlite_where=sa.text("deleted = 0"),
        postgresql_where=sa.text("NOT deleted"),
    )
    op.add_column("announcements", sa.Column("record", StorableText, nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("characters", sa.Integer))
    op.add_column("jobs", sa.Column("compared_at", UtcDateTime))
    op.execute("UPDATE jobs SET compared_at = accepted_at")
    is_uncompared = sa.text("compared_at IS NULL AND status = 'accepted'")
    op.create_index(
        "jobs_uncompared", "jobs", ["sequence"], sqlite_where=is_uncompared, postgresql_where=is_uncompared
    )


def _create_accounts() -> None:
    op.create_table(
        "audit_log",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("actor", StorableText(64), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("target", StorableText, nullable=False),
        sa.Column("before", StorableText),
        sa.Column("after", StorableText),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_log_actor", "audit_log", ["actor", "number"])
    op.create_index("audit_log_target", "audit_log", ["target", "number"])
    op.create_table(
        "users",
        sa.Column("name", StorableText(64), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("sources", StorableText),
        sa.Column("password", sa.String(200)),
        sa.Column("key", sa.String(64), unique=True),
        sa.Column("key_until", UtcDateTime),
        sa.Column("added_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "user_sessions",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("user", StorableText(64), nullable=False),
        sa.Column("opened_at", UtcDateTime, nullable=False),
        sa.Column("used_at", UtcDateTime, nullable=False),
    )
    op.create_index("user_sessions_by_user", "user_sessions", ["user"])


def _create_curation() -> None:
    op.create_table(
        "curation",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("content", StorableText, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("curation_site", "curation", ["site", "number"])


def _create_annotations() -> None:
    op.create_table(
        "annotations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("act", StorableText(64), nullable=False),
        sa.Column("unit", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("content", StorableText, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("changed_by", StorableText(64), nullable=False),
        sa.Column("changed_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("source", "act", "unit", "language", "text_hash"),
        sqlite_autoincrement=True,
    )


def _create_contexts() -> None:
    op.create_table(
        "contexts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("id", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
        sa.Column("last_used", UtcDateTime, nullable=False),
    )
    op.create_index("contexts_page", "contexts", ["source", "id", "language"])
    op.create_index("contexts_last_used", "contexts", ["last_used"])
    op.create_table(
        "context_pages",
        *_page_key(),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("due", sa.Boolean, nullable=False),
        sa.Column("chunks", sa.Integer, nullable=False),
        sa.Column("written", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("noted_at", UtcDateTime, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime, nullable=False),
        sa.Column("claimed_by", sa.String(64)),
        sa.Column("claimed_until", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
    )
    op.create_index(
        "context_pages_due",
        "context_pages",
        ["attempts", "noted_at"],
        sqlite_where=sa.text("due = 1"),
        postgresql_where=sa.text("due"),
    )
    op.create_index("context_pages_worker", "context_pages", ["claimed_by"])
    op.create_table(
        "context_outages",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("since", UtcDateTime, nullable=False),
        sa.Column("reason", StorableText, nullable=False),
    )


def _create_contradictions() -> None:
    op.create_table(
        "contradictions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("pair", sa.String(64), nullable=False, unique=True),
        sa.Column("kind", StorableText, nullable=False),
        sa.Column("source", StorableText(64), nullable=False),
        sa.Column("id", StorableText, nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("text", StorableText, nullable=False),
        sa.Column("other_source", StorableText(64), nullable=False),
        sa.Column("other_id", StorableText, nullable=False),
        sa.Column("other_text", StorableText, nullable=False),
        sa.Column("other_language", StorableText(3), nullable=False, server_default=""),
        sa.Column("found_at", UtcDateTime, nullable=False),
        sa.Column("dismissed_by", StorableText(64)),
        sa.Column("dismissed_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("contradictions_page", "contradictions", ["source", "id"])
    op.create_index("contradictions_other", "contradictions", ["other_source", "other_id"])
    op.create_table("compared_pages", *_page_key(), sa.Column("sequence", sa.BigInteger, nullable=False))


def _create_evaluation() -> None:
    op.create_table(
        "evaluation_runs",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("document", StorableText, nullable=False),
        sa.Column("results", StorableText, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "live_grades",
        sa.Column("answer", sa.String(32), primary_key=True),
        sa.Column("context", StorableText, nullable=False),
        sa.Column("grade", StorableText, nullable=False, server_default=""),
    )
    op.create_table(
        "live_grading",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("worker", sa.String(64), nullable=False),
        sa.Column("until", UtcDateTime, nullable=False),
    )


def _create_questions() -> None:
    questions = op.create_table(
        "questions",
        _answer_key(),
        sa.Column("site", StorableText(64), nullable=False),
        sa.Column("asked_at", UtcDateTime, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("language", StorableText(3), nullable=False),
        sa.Column("words", StorableText, nullable=False),
        sa.Column("reaction", sa.String(16), nullable=False, server_default=""),
    )
    _fill(questions)
    op.create_index("questions_listed", "questions", ["asked_at", "answer", "site", "outcome", "language"])
    op.create_table(
        "answer_records",
        _answer_key(),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("vector", sa.LargeBinary),
        sa.Column("provenance", StorableText),
    )
    op.create_table("citations", _answer_key(), *_page_key())
    op.create_index("citations_page", "citations", ["source", "id", "language"])


def _fill(questions: sa.Table) -> None:
    connection = op.get_bind()
    answers = sa.table(
        "answers",
        sa.column("id"),
        sa.column("conversation"),
        sa.column("question"),
        sa.column("status"),
        sa.column("started_at", UtcDateTime),
    )
    conversations = sa.table("conversations", sa.column("id"), sa.column("site"))
    first = (
        sa.select(answers, conversations.c.site)
        .join(conversations, conversations.c.id == answers.c.conversation)
        .order_by(answers.c.id)
        .limit(_READ_AT_ONCE)
    )
    rest = first
    while rows := connection.execute(rest).all():
        values = [
            {
                "answer": row.id,
                "site": row.site,
                "asked_at": row.started_at,
                "outcome": _OUTCOMES.get(row.status, "unanswered"),
                "language": "",
                "words": row.question.casefold(),
            }
            for row in rows
        ]
        connection.execute(sa.insert(questions), values)
        rest = first.where(answers.c.id > rows[-1].id)


def _create_question_groups() -> None:
    op.create_table(
        "question_groups",
        _answer_key(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
    )
    op.create_index("question_groups_number", "question_groups", ["number", "rank"])
    op.create_table(
        "groupings",
        sa.Column("slot", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("requested_at", UtcDateTime),
        sa.Column("made_at", UtcDateTime),
        sa.Column("questions", sa.Integer, nullable=False),
        sa.Column("left", sa.Integer, nullable=False),
    )


def _create_answer_changes() -> None:
    op.create_table(
        "standing_answers",
        _answer_key(),
        sa.Column("setup", sa.String(64), nullable=False),
        sa.Column("text", StorableText),
        sa.Column("pages", StorableText, nullable=False),
    )
    op.create_table(
        "answer_changes",
        sa.Column("job", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        _answer_key(),
        sa.Column("before", StorableText, nullable=False),
        sa.Column("after", StorableText, nullable=False),
    )
    op.create_index("answer_changes_answer", "answer_changes", ["answer"])
