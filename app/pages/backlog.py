"""The backlog: pages that wait to be fetched or indexed, and since when."""

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

    ``since``: when the oldest one was accepted; ``None`` where an earlier version did not note it.
    """

    kind: Kind
    state: QueueState
    pages: int
    since: datetime | None


def read_backlog(engine: Engine, now: datetime) -> list[Backlog]:
    """The backlog by kind and state; pages to be indexed and to be fetched apart."""
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
    # By name: to PostgreSQL an expression with parameters is another one each time.
    return query.group_by("urgency", "state")


def indexed_since(engine: Engine, moment: datetime) -> int:
    """How many pages were indexed since then and have not been indexed again."""
    query = select(func.count()).select_from(pages).where(pages.c.indexed_at >= moment)
    with reading(engine) as connection:
        return connection.execute(query).scalar_one()


def age(backlog: Sequence[Backlog], now: datetime, kind: Kind) -> timedelta:
    """How long the oldest page of a kind waits; zero if none does."""
    since = [each.since for each in backlog if each.kind == kind and each.since is not None]
    return now - min(since) if since else timedelta(0)


def is_late(backlog: Sequence[Backlog], now: datetime, limit: timedelta) -> bool:
    """True if a page that an editor waits for has waited for longer than ``limit``; or one of an import while
    no page is claimed, for a large import may take hours."""
    is_worked_on = any(each.state == "running" for each in backlog)
    late = {kind for kind in KINDS if age(backlog, now, kind) > limit}
    return "interactive" in late or ("bulk" in late and not is_worked_on)
