"""The tables of evaluations, and of the lease for grading answers to visitors."""

from sqlalchemy import Column, Float, Integer, String, Table

from app.pages.column_types import StorableText, UtcDateTime
from app.pages.tables import metadata

evaluation_runs = Table(
    "evaluation_runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("document", StorableText, nullable=False),
    Column("results", StorableText, nullable=False),
    sqlite_autoincrement=True,  # numbers of deleted runs are not used again
)
"""Evaluations on pools of questions, in JSON. ``document``: configuration and figures; ``results``: of all
questions, kept apart because they are large."""

asked_pools = Table(
    "asked_pools",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("name", StorableText, nullable=False),
    Column("site", StorableText(64), nullable=False),
    Column("text", StorableText, nullable=False),
    Column("total", Integer, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("results", StorableText, nullable=False, default="[]"),
    Column("done", Integer, nullable=False, default=0),
    Column("seconds", Float, nullable=False, default=0.0),
    Column("not_reranked", Integer, nullable=False, default=0),
    Column("failure", StorableText, nullable=False, default=""),
)
"""The pool of questions that is asked in the background: one row, slot 1. ``text``: the content of its file;
``results``: JSON, of the questions asked so far."""

live_grading = Table(
    "live_grading",
    metadata,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("day", String(10), nullable=False),
    Column("worker", String(64), nullable=False),
    Column("until", UtcDateTime, nullable=False),
)
"""The last day whose answers are graded, and the lease for grading the next: one row, slot 1."""
