"""The backlog: pages that wait to be fetched or indexed, and the time since when they wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Engine, Select, Table, case, func, select

from app.pages.database import reading
from app.pages.page_queue import QUEUED
from app.pages.tables import announcements, pages

QueueState = Literal["queued", "running", "waiting"]
Kind = Literal["interactive", "bulk"]
KINDS: Final[tuple[Kind, ...]] = ("interactive", "bulk")
"""Pages that an editor waits for, and those of imports and pulls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Pages of one kind and state: ``running`` are claimed, ``waiting`` wait for a server that was away.

    ``since``: when the oldest one was accepted; ``None`` if an earlier version did not record it.
    """

    kind: Kind
    state: QueueState
    pages: int
    since: datetime | None


def read_backlog(engine: Engine, now: datetime) -> list[Backlog]:
    """Read the backlog by kind and state, separately for pages to be indexed and to be fetched."""
    with reading(engine) as connection:
        rows = [
            *connection.execute(_counts(pages, pages.c.accepted_at, now).where(QUEUED)),
            *connection.execute(_counts(announcements, announcements.c.announced_at, now)),
        ]
    return [Backlog(kind=row.urgency, state=row.state, pages=row.pages, since=row.since) for row in rows]


def _counts(queue: Table, since: ColumnElement[datetime], now: datetime) -> Select[Any]:
    state = case((queue.c.claimed_until > now, "running"), (queue.c.reason != "", "waiting"), else_="queued")
    query = select(
        case((queue.c.priority > 0, "interactive"), else_="bulk").label("urgency"),
        state.label("state"),
        func.count().label("pages"),
        func.min(since).label("since"),
    )
    # By name, because PostgreSQL takes an expression with parameters for a different one each time.
    return query.group_by("urgency", "state")


def indexed_since(engine: Engine, moment: datetime) -> int:
    """Count the pages that were last indexed since then."""
    query = select(func.count()).select_from(pages).where(pages.c.indexed_at >= moment)
    with reading(engine) as connection:
        return connection.execute(query).scalar_one()


def age(backlog: Sequence[Backlog], now: datetime, kind: Kind) -> timedelta:
    """Return how long the oldest page of a kind has waited; zero if none does."""
    since = [each.since for each in backlog if each.kind == kind and each.since is not None]
    return now - min(since) if since else timedelta(0)


def is_late(backlog: Sequence[Backlog], now: datetime, limit: timedelta) -> bool:
    """Return True if a page that an editor waits for has waited longer than ``limit``. A page of an import
    counts only while no page is claimed, because a large import may take hours."""
    is_worked_on = any(each.state == "running" for each in backlog)
    late = {kind for kind in KINDS if age(backlog, now, kind) > limit}
    return "interactive" in late or ("bulk" in late and not is_worked_on)
