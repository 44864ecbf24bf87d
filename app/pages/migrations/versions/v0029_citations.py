"""Adds the pages that answers cite, so that a page tells its questions."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.pages.column_types import StorableText

revision = "0029"
down_revision = "0028"

_READ_AT_ONCE = 500
_KEY = ("source", "id", "language")


def upgrade() -> None:
    """Make the table, and fill it from what answers were made of."""
    citations = op.create_table(
        "citations",
        sa.Column("answer", sa.String(32), sa.ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("source", StorableText(64), primary_key=True),
        sa.Column("id", StorableText, primary_key=True),
        sa.Column("language", StorableText(3), primary_key=True),
    )
    _fill(citations)
    op.create_index("citations_page", "citations", [*_KEY])


def _fill(citations: sa.Table) -> None:
    connection = op.get_bind()
    answers = sa.table("answers", sa.column("id"), sa.column("document"))
    records = sa.table("answer_records", sa.column("answer"), sa.column("provenance"))
    first = (
        sa.select(answers.c.id, answers.c.document, records.c.provenance)
        .join(records, records.c.answer == answers.c.id)
        .where(answers.c.document.is_not(None), records.c.provenance.is_not(None))
        .order_by(answers.c.id)
        .limit(_READ_AT_ONCE)
    )
    rest = first
    while rows := connection.execute(rest).all():
        values = [{"answer": row.id} | key for row in rows for key in _cited(row)]
        if values:
            connection.execute(sa.insert(citations), values)
        rest = first.where(answers.c.id > rows[-1].id)


def _cited(row: Any) -> Iterator[dict[str, str]]:
    """The keys of the pages that an answer cites; none where it cannot be read."""
    try:
        numbers = set(json.loads(row.document)["citations"])
        pages = [page for page in json.loads(row.provenance)["pages"] if page["number"] in numbers]
        keys = {tuple(str(page[name]) for name in _KEY) for page in pages}
    except (KeyError, TypeError, ValueError, RecursionError):
        return
    yield from (dict(zip(_KEY, key, strict=True)) for key in sorted(keys))
