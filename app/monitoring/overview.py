"""An installation at a glance: health, backlog, questions, sources, first steps."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from shutil import disk_usage
from typing import Final

from sqlalchemy import Engine

from app.chat.outcomes import QuestionCounts, count_questions
from app.monitoring.check import Check
from app.monitoring.readiness import NAMING, checks
from app.monitoring.source_states import SourceState, source_states
from app.pages.backlog import indexed_since, read_backlog
from app.pages.store import utc_now
from app.services import Services

WEEK: Final = timedelta(days=7)
RATE_TIME: Final = timedelta(minutes=5)
"""How long the speed of indexing is measured over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSteps:
    """What a new installation has to do, and whether it is done."""

    indexed: bool
    asked: bool
    embedded: bool

    @property
    def are_done(self) -> bool:
        """True if nothing is left to do."""
        return self.indexed and self.asked and self.embedded


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The first page of the console. ``backlog``: pages that wait. ``seconds_left``: until all of these are
    indexed at the present speed; ``None`` where nothing was indexed lately. ``disk_free_bytes``: where the
    data are, ``None`` if that is not known."""

    checks: Sequence[Check]
    backlog: int
    seconds_left: int | None
    questions: QuestionCounts
    sources: Sequence[SourceState]
    first_steps: FirstSteps
    disk_free_bytes: int | None

    @property
    def failed(self) -> int:
        """How many pages of the sources could not be indexed."""
        return sum(source.pages.get("failed", 0) for source in self.sources)

    @property
    def troubles(self) -> list[Check]:
        """The checks that are not ok."""
        return [check for check in self.checks if not check.ok]


def make_overview(
    services: Services, sites: Collection[str] | None, sources: Collection[str] | None
) -> Overview:
    """The overview of these sites and sources; ``None`` for all. Checks that name sources are
    left out for those who may see some. Raises ``PageStoreUnavailableError``."""
    now = utc_now()
    backlog = sum(each.pages for each in read_backlog(services.engine, now))
    states = source_states(services, sources)
    is_whole = sources is None
    questions = count_questions(services.engine, now - WEEK, sites)
    return Overview(
        checks=[check for check in checks(services) if is_whole or check.name not in NAMING],
        backlog=backlog,
        seconds_left=_seconds_left(services.engine, now, backlog),
        questions=questions,
        sources=states,
        first_steps=FirstSteps(
            indexed=any(state.pages.get("indexed") for state in states),
            asked=questions.asked > 0,
            embedded=any(site.origins for site in services.settings.sites),
        ),
        disk_free_bytes=_disk_free(services.data),
    )


def _disk_free(folder: Path) -> int | None:
    """How much room is left for the data, ``None`` if that cannot be known."""
    with suppress(OSError):
        return disk_usage(folder).free
    return None


def _seconds_left(engine: Engine, now: datetime, backlog: int) -> int | None:
    if not backlog:
        return 0
    done = indexed_since(engine, now - RATE_TIME)
    return round(backlog * RATE_TIME.total_seconds() / done) if done else None
