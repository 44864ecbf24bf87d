"""Counts of visitors' questions, and of those without a full answer."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, func, select

from app.chat.outcomes import UNANSWERED
from app.pages.database import reading
from app.pages.question_tables import questions


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCounts:
    """``unanswered``: those with an outcome in :data:`app.chat.outcomes.UNANSWERED`."""

    asked: int
    unanswered: int

    @property
    def share_unanswered(self) -> float:
        """The share unanswered, 0 to 1."""
        return self.unanswered / self.asked if self.asked else 0.0


def count_questions(engine: Engine, since: datetime, sites: Collection[str] | None = None) -> QuestionCounts:
    """The questions since a moment, on these sites; ``None``: all. Raises ``PageStoreUnavailableError``."""
    query = (
        select(questions.c.outcome, func.count())
        .where(questions.c.asked_at >= since)
        .group_by(questions.c.outcome)
    )
    if sites is not None:
        query = query.where(questions.c.site.in_(sites))
    with reading(engine) as connection:
        counts: dict[str, int] = dict(map(tuple, connection.execute(query)))
    unanswered = sum(counts.get(outcome, 0) for outcome in UNANSWERED)
    return QuestionCounts(asked=sum(counts.values()), unanswered=unanswered)
