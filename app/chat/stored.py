"""Stored answers: from rows of the database to their documents, states and turns. Pure functions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from app.chat.events import STATUSES
from app.chat.types import CitedPage, Turn
from app.pages.refs import AnyRow, from_row

RUNNING_TIMEOUT: Final = timedelta(minutes=5)
"""An answer not finished within this time counts as interrupted."""

_VERDICTS: Final = {status: verdict for verdict, status in STATUSES.items()}
_UNSUPPORTED: Final = ("unverified", "interrupted")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """A stored answer. ``document``: an :class:`app.chat.documents.AnswerDocument` in JSON, or None for an
    answer that is being written or whose end was never stored. ``status``: the document's; without one
    ``running`` or ``interrupted``, or ``failed`` for a document that cannot be read."""

    id: str
    conversation: str
    question: str
    started_at: datetime
    status: str
    document: Mapping[str, Any] | None


def read_document(row: Any) -> dict[str, Any] | None:
    """Return the document of an answer's row, or None if there is none or it cannot be read."""
    if row.document is None:
        return None
    try:
        document: Any = json.loads(row.document)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("answer"), str):
        return None
    lists = (document.get(name, []) for name in ("sources", "citations"))
    return document if all(isinstance(some, list) for some in lists) else None


def status_of(row: AnyRow, document: Mapping[str, Any] | None, now: datetime) -> str:
    """Return the status of an answer's row: ``interrupted`` if it has no document and was stopped or is older
    than ``RUNNING_TIMEOUT``, ``failed`` if its document cannot be read. ``document``: from
    :func:`read_document`."""
    if row.document is not None and document is None:
        return "failed"
    broken_off = row.document is None and (row.finished_at or row.started_at < now - RUNNING_TIMEOUT)
    return "interrupted" if broken_off else str(row.status)


def stored_answer(row: AnyRow, now: datetime) -> StoredAnswer:
    """Return the answer in a row."""
    document = read_document(row)
    return from_row(StoredAnswer, row, status=status_of(row, document, now), document=document)


def turns_of(row: AnyRow) -> tuple[Turn, ...]:
    """Return the question and the answer of a row; empty if the answer has no text that can be read."""
    document = read_document(row)
    if not document or not document["answer"]:
        return ()
    answer = Turn(
        role="assistant",
        content=document["answer"],
        verdict=_VERDICTS.get(row.status, "partly"),
        cited=_cited(document),
        is_supported=row.status not in _UNSUPPORTED,
    )
    return Turn(role="user", content=row.question), answer


def _cited(document: Mapping[str, Any]) -> tuple[CitedPage, ...]:
    """Return the pages that a stored answer cites, in the order of their first citations."""
    sources = {
        source.get("number"): source
        for source in document.get("sources", [])
        if isinstance(source, dict) and all(isinstance(source.get(name), str) for name in ("id", "url"))
    }
    cited = (sources[number] for number in document.get("citations", []) if number in sources)
    return tuple(CitedPage(id=source["id"], url=source["url"]) for source in cited)
