"""Names what visitors saw of an answer in one of six words for editors, and counts questions by them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args

from sqlalchemy import Engine, func, select

from app.pages.database import reading
from app.pages.question_tables import questions
from app.search.types import Certainty

Outcome = Literal["answered", "partly", "none", "refused", "failed", "unfinished"]
"""``partly``: an answer to a part of the question, one that its sources do not support, or passages that only
come near; ``none``: no page answers it; ``refused``: it is no question for this website; ``failed``: the
service or its model had an error; ``unfinished``: it is being written, or the visitor left."""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
UNANSWERED: Final[tuple[Outcome, ...]] = ("partly", "none", "refused", "failed")

_BY_STATUS: Final[Mapping[str, Outcome]] = {
    "answered": "answered",
    "greeting": "answered",
    "partly": "partly",
    "unverified": "partly",
    "no_answer": "none",
    "out_of_scope": "refused",
    "failed": "failed",
}


def outcome_of(document: Mapping[str, Any], certainty: Certainty = "answered") -> Outcome:
    """Return what visitors saw of an answer's document. ``certainty``: of the pages found, by which passages
    are shown as an answer or as what comes nearest."""
    match document["status"]:
        case "extractive":
            return "partly" if certainty == "near" else "answered"
        case "interrupted":
            return "failed" if "model_unavailable" in document.get("degraded", ()) else "unfinished"
        case status:
            return _BY_STATUS.get(status, "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCounts:
    """``unanswered``: those with an outcome in :data:`UNANSWERED`."""

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
