"""The tables of evaluations, and of who grades answers to visitors."""

from sqlalchemy import Column, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

evaluation_runs = Table(
    "evaluation_runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("document", StorableText, nullable=False),
    Column("results", StorableText, nullable=False),
    sqlite_autoincrement=True,  # a number that was deleted is not given again
)
"""Evaluations on pools of questions, in JSON: configuration and figures, and apart from them, as they are
large, the results of all questions."""

live_grading = Table(
    "live_grading",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("day", String(10), nullable=False),
    Column("worker", String(64), nullable=False),
    Column("until", UtcDateTime, nullable=False),
)
"""The last day whose answers are graded, and the lease of who grades those of the next: one row, slot 1."""
