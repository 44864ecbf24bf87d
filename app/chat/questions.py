"""Lists visitors' questions with status, cited sources and feedback, for editors."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import Row, Select, and_, or_, select

from app.chat.conversations import read_document, status_of
from app.chat.redaction import redacted
from app.errors import InputError
from app.pages.database import Database, open_engine, reading
from app.pages.tables import answers, conversations, feedback

Kind = Literal["all", "unanswered", "rated"]

UNANSWERED: Final = ("no_answer", "partly", "unverified", "out_of_scope", "extractive", "failed")
COLUMNS: Final = ("asked_at", "site", "question", "status", "sources", "rating", "comment")
READ_BATCH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """One question. ``status``: of the answer. ``sources``: the addresses of the cited ones. ``rating``: up,
    down or empty."""

    asked_at: datetime
    site: str
    question: str
    status: str
    sources: tuple[str, ...]
    rating: str
    comment: str

    def document(self) -> dict[str, Any]:
        """For JSON: ``COLUMNS``."""
        return asdict(self) | {"asked_at": self.asked_at.isoformat(), "sources": list(self.sources)}


class Questions:
    """The questions in ``database``. Every method raises ``PageStoreUnavailableError``."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._engine = open_engine(database)
        self._clock = clock

    def check(self, site: str, configured: Collection[str]) -> None:
        """Raise ``InputError`` for a site that is not ``configured`` and never had questions."""
        with reading(self._engine) as connection:
            asked = connection.execute(select(conversations.c.site).distinct()).scalars()
            known = sorted({*asked, *configured})
        if site not in known:
            remedy = f"known are {', '.join(known)}" if known else "the settings name none"
            raise InputError(f"unknown site {site!r}: {remedy}")

    def since(
        self, moment: datetime | None = None, *, site: str | None = None, kind: Kind = "all"
    ) -> Iterator[QuestionRecord]:
        """The questions since a moment, oldest first, of one site or of all."""
        query = _query(moment, site, kind).limit(READ_BATCH)
        rest = query
        while True:
            with reading(self._engine) as connection:
                rows = list(connection.execute(rest))
            yield from map(self._record, rows)
            if len(rows) < READ_BATCH:
                return
            rest = query.where(_after(rows[-1]))

    def _record(self, row: Row[Any]) -> QuestionRecord:
        document = read_document(row)
        answer = {"sources": [], "citations": []} | (document or {})
        return QuestionRecord(
            asked_at=row.started_at,
            site=row.site,
            question=redacted(row.question),
            status=status_of(row, document, self._clock()),
            sources=tuple(
                source["url"] for source in answer["sources"] if source["number"] in answer["citations"]
            ),
            rating=row.rating or "",
            comment=row.comment or "",
        )


def _query(moment: datetime | None, site: str | None, kind: Kind) -> Select[Any]:
    query = (
        select(answers, conversations.c.site, feedback.c.rating, feedback.c.comment)
        .join(conversations, conversations.c.id == answers.c.conversation)
        .join(feedback, feedback.c.answer == answers.c.id, isouter=kind != "rated")
        .order_by(answers.c.started_at, answers.c.id)
    )
    if moment is not None:
        query = query.where(answers.c.started_at >= moment)
    if site is not None:
        query = query.where(conversations.c.site == site)
    if kind == "unanswered":
        query = query.where(answers.c.status.in_(UNANSWERED))
    return query


def _after(last: Row[Any]) -> Any:
    same_moment = and_(answers.c.started_at == last.started_at, answers.c.id > last.id)
    return or_(answers.c.started_at > last.started_at, same_moment)
