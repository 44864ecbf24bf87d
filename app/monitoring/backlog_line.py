"""Describes, for readiness, how long pages have waited to be indexed, and a remedy if that is too long."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.errors import BacklogError
from app.pages.backlog import KINDS, Backlog, Kind, age, is_late, read_backlog
from app.pages.database import utc_now
from app.services import Services
from ingest.said import Said, joined


def backlog_line(services: Services) -> str:
    """Describe the waiting pages and how long they have waited. Raises ``BacklogError`` if they are late."""
    now = utc_now()
    backlog = read_backlog(services.engine, now)
    waiting = [said for kind in KINDS if (said := _waiting(backlog, now, kind))]
    summary = joined(waiting or [Said("none")])
    if is_late(backlog, now, timedelta(minutes=services.settings.backlog_minutes)):
        raise BacklogError("{what}: {problem}", what=summary, problem=_remedy(services, backlog))
    return summary


def _waiting(backlog: Sequence[Backlog], now: datetime, kind: Kind) -> Said | None:
    pages = sum(each.pages for each in backlog if each.kind == kind)
    if not pages:
        return None
    what = Said("saved pages" if kind == "interactive" else "imported pages")
    minutes = int(age(backlog, now, kind).total_seconds() / 60)
    return Said("{count:,} {what}, the oldest for {minutes:,} min", count=pages, what=what, minutes=minutes)


def _remedy(services: Services, backlog: Sequence[Backlog]) -> Said:
    if any(each.state == "waiting" for each in backlog):
        return Said("`auskunft pages` shows what each is waiting for")
    if services.settings.broker_url:
        return Said("start another `auskunft worker`")
    if services.background.worker.state() == "nowhere":
        return Said("start `auskunft serve`; if `auskunft index` was interrupted, run it again")
    return Said("one thread is too slow for them; `auskunft worker` uses several")
