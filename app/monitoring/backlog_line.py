"""Says for readiness how long pages wait to be indexed, and what helps if that is too long."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.errors import BacklogError
from app.pages.backlog import KINDS, Backlog, Kind, age, is_late, read_backlog
from app.pages.database import utc_now
from app.services import Services


def backlog_line(services: Services) -> str:
    """Say what waits, and since when. Raises ``BacklogError`` if it is late."""
    now = utc_now()
    backlog = read_backlog(services.engine, now)
    summary = "; ".join(filter(None, (_waiting(backlog, now, kind) for kind in KINDS))) or "none"
    if is_late(backlog, now, timedelta(minutes=services.settings.backlog_minutes)):
        raise BacklogError(f"{summary}: {_remedy(services, backlog)}")
    return summary


def _waiting(backlog: Sequence[Backlog], now: datetime, kind: Kind) -> str:
    pages = sum(each.pages for each in backlog if each.kind == kind)
    if not pages:
        return ""
    what = "saved pages" if kind == "interactive" else "imported pages"
    minutes = int(age(backlog, now, kind).total_seconds() / 60)
    return f"{pages:,} {what}, the oldest for {minutes:,} min"


def _remedy(services: Services, backlog: Sequence[Backlog]) -> str:
    if any(each.state == "waiting" for each in backlog):
        return "`auskunft pages` says what each waits for"
    if services.settings.broker_url:
        return "start another `auskunft worker`"
    if services.background.worker.state() == "nowhere":
        return "start `auskunft serve`; if an `auskunft index` was broken off, repeat it"
    return "one thread is too slow for them, `auskunft worker` takes several"
