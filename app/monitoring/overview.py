"""An installation at a glance: health, backlog, questions, sources, first steps."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import disk_usage
from typing import Final

from sqlalchemy import Engine, func, select

from app.chat.outcomes import JUDGED
from app.document import Document, Share
from app.monitoring.check import CheckDocument
from app.monitoring.readiness import NAMING, checks
from app.monitoring.source_states import SourceStateDocument, source_states
from app.pages.backlog import indexed_since, read_backlog
from app.pages.database import reading, utc_now
from app.pages.question_tables import questions
from app.services import Services

WEEK: Final = timedelta(days=7)
RATE_TIME: Final = timedelta(minutes=5)
"""Period over which the speed of indexing is measured."""


class QuestionSumsDocument(Document):
    """The numbers of all questions, of those with a doubtful answer, and of those without an answer. The
    shares refer to questions that were about the pages."""

    asked: int
    doubtful: int
    unanswered: int
    share_answered: Share
    share_doubtful: Share
    share_unanswered: Share


class FirstStepsDocument(Document):
    """The first steps of a new installation; true if done."""

    indexed: bool
    asked: bool
    embedded: bool

    @property
    def are_done(self) -> bool:
        """True if nothing is left to do."""
        return self.indexed and self.asked and self.embedded


class OverviewDocument(Document):
    """The first page of the console. ``backlog``: pages that wait; ``failed``: pages that could not be
    indexed. ``seconds_left``: until all waiting pages are indexed at the present speed; ``None`` if nothing
    was indexed lately. ``disk_free_bytes``: free space for the data, ``None`` if unknown."""

    checks: list[CheckDocument]
    backlog: int
    failed: int
    seconds_left: int | None
    questions: QuestionSumsDocument
    sources: list[SourceStateDocument]
    first_steps: FirstStepsDocument
    disk_free_bytes: int | None

    @property
    def troubles(self) -> list[CheckDocument]:
        """The checks that are not ok."""
        return [check for check in self.checks if not check.ok]


def make_overview(
    services: Services, sites: Collection[str] | None, sources: Collection[str] | None
) -> OverviewDocument:
    """Make the overview of these sites and sources; ``None`` for all. Checks that name sources are left out
    for people who may see only some. Raises ``PageStoreUnavailableError``."""
    now = utc_now()
    backlog = sum(each.pages for each in read_backlog(services.engine, now))
    states = source_states(services, sources)
    is_whole = sources is None
    sums = _question_sums(services.engine, now - WEEK, sites)
    return OverviewDocument(
        checks=[
            CheckDocument.model_validate(check)
            for check in checks(services)
            if is_whole or check.name not in NAMING
        ],
        backlog=backlog,
        failed=sum(state.pages.get("failed", 0) for state in states),
        seconds_left=_seconds_left(services.engine, now, backlog),
        questions=sums,
        sources=states,
        first_steps=FirstStepsDocument(
            indexed=any(state.pages.get("indexed") for state in states),
            asked=sums.asked > 0,
            embedded=any(site.origins for site in services.settings.sites),
        ),
        disk_free_bytes=_disk_free(services.data),
    )


def _question_sums(engine: Engine, since: datetime, sites: Collection[str] | None) -> QuestionSumsDocument:
    """Sum up the questions since a time, on these sites."""
    query = (
        select(questions.c.outcome, func.count())
        .where(questions.c.asked_at >= since)
        .group_by(questions.c.outcome)
    )
    if sites is not None:
        query = query.where(questions.c.site.in_(sites))
    with reading(engine) as connection:
        counts: dict[str, int] = dict(map(tuple, connection.execute(query)))
    judged = sum(counts.get(outcome, 0) for outcome in JUDGED) or 1
    doubtful, unanswered = counts.get("doubtful", 0), counts.get("unanswered", 0)
    return QuestionSumsDocument(
        asked=sum(counts.values()),
        doubtful=doubtful,
        unanswered=unanswered,
        share_answered=counts.get("answered", 0) / judged,
        share_doubtful=doubtful / judged,
        share_unanswered=unanswered / judged,
    )


def _disk_free(folder: Path) -> int | None:
    """Return the free space for the data, in bytes; ``None`` if unknown."""
    with suppress(OSError):
        return disk_usage(folder).free
    return None


def _seconds_left(engine: Engine, now: datetime, backlog: int) -> int | None:
    if not backlog:
        return 0
    done = indexed_since(engine, now - RATE_TIME)
    return round(backlog * RATE_TIME.total_seconds() / done) if done else None
