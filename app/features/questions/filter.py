"""SQL conditions for the questions that an editor chooses. Pure functions."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, Self

from sqlalchemy import ColumnElement, and_, exists, or_, select, true

from app.chat.outcomes import GAPS, Outcome
from app.errors import InputError
from app.features.questions.tables import question_groups
from app.pages.question_tables import citations, feedback, questions
from app.pages.refs import is_page
from ingest.types import PageRef

Kind = Literal["all", "unanswered", "rated"]
RatingFilter = Literal["up", "down", "any", "none"]

CURSOR: Final = re.compile(r"(\d{1,17})-([A-Za-z0-9_-]{1,32})", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFilter:
    """A choice of questions, all by default. ``sites``: those that the user may see, ``None`` for all;
    ``site``: the one that they chose. ``since`` and ``until``: when they were asked, both included.
    ``language``: of the answer. ``text``: words that are all in the question, in any case. ``group``: the
    number of the group that they are in. ``cited``: a page that the answer cites."""

    sites: Collection[str] | None = None
    site: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    outcomes: Collection[Outcome] | None = None
    language: str | None = None
    rating: RatingFilter | None = None
    text: str = ""
    group: int | None = None
    cited: PageRef | None = None

    def of_kind(self, kind: Kind) -> Self:
        """Return the filter for questions of this kind; an outcome or rating already chosen is kept."""
        match kind:
            case "unanswered":
                return replace(self, outcomes=self.outcomes or GAPS)
            case "rated":
                return replace(self, rating=self.rating or "any")
        return self

    def conditions(self) -> ColumnElement[bool]:
        """Return the condition on ``questions``."""
        return and_(true(), *self._shared(), *self._chosen())

    def shared_conditions(self) -> ColumnElement[bool]:
        """Return the condition without site, outcome, language and rating, because questions are counted by
        each of these."""
        return and_(true(), *self._shared())

    def admits(self, site: str, outcome: str, language: str, *, without: str = "") -> bool:
        """Return True if questions of this site, outcome and language are chosen. ``without``: the name of
        one of these that does not matter."""
        wanted = {
            "site": self.site in (None, site),
            "outcome": self.outcomes is None or outcome in self.outcomes,
            "language": self.language in (None, language),
        }
        return all(fits for name, fits in wanted.items() if name != without)

    def _shared(self) -> Iterator[ColumnElement[bool]]:
        if self.sites is not None:
            yield questions.c.site.in_(sorted(self.sites))
        if self.since is not None:
            yield questions.c.asked_at >= self.since
        if self.until is not None:
            yield questions.c.asked_at <= self.until
        if self.group is not None:
            grouped = select(question_groups.c.answer).where(question_groups.c.number == self.group)
            yield questions.c.answer.in_(grouped)
        if self.cited is not None:
            yield questions.c.answer.in_(select(citations.c.answer).where(is_page(self.cited, citations)))
        for word in self.text.casefold().split():
            yield questions.c.words.contains(word, autoescape=True)

    def _chosen(self) -> Iterator[ColumnElement[bool]]:
        if self.site is not None:
            yield questions.c.site == self.site
        if self.outcomes is not None:
            yield questions.c.outcome.in_(sorted(self.outcomes))
        if self.language is not None:
            yield questions.c.language == self.language
        if self.rating is not None:
            yield _rated(self.rating)


def _rated(rating: RatingFilter) -> ColumnElement[bool]:
    rated = select(feedback.c.answer)
    match rating:
        case "any":
            return questions.c.answer.in_(rated)
        case "none":
            return ~exists().where(feedback.c.answer == questions.c.answer)
    return questions.c.answer.in_(rated.where(feedback.c.rating == rating))


def cursor_of(row: Any) -> str:
    """Return the cursor that marks the place of a row of ``questions`` in the list."""
    return f"{(row.asked_at - _EPOCH) // timedelta(microseconds=1)}-{row.answer}"


def older_than(cursor: str) -> ColumnElement[bool]:
    """Return the condition that a question comes after the place of a cursor. Raises ``InputError``."""
    found = CURSOR.fullmatch(cursor)
    if found is None:
        raise InputError("the cursor is invalid: use the list's `next` unchanged, or leave it out")
    moment = _EPOCH + timedelta(microseconds=int(found[1]))
    same_moment = and_(questions.c.asked_at == moment, questions.c.answer < found[2])
    return or_(questions.c.asked_at < moment, same_moment)
