"""The time at which the letter of a week is sent. Pure functions."""

from datetime import datetime, time, timedelta
from typing import Final, get_args
from zoneinfo import ZoneInfo

from app.accounts.news import Span
from app.settings.letter import LetterSettings, Weekday

WEEK: Final = timedelta(days=7)
TRIED_FOR: Final = timedelta(days=1)
"""A letter is tried for this long after its hour; after that it is not sent that week."""

_WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)


def week_of(now: datetime, zone: ZoneInfo) -> str:
    """Return the Monday of the week that ``now`` is in, such as ``2026-11-23``."""
    day = now.astimezone(zone).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def is_open(now: datetime, settings: LetterSettings, zone: ZoneInfo) -> bool:
    """Return True for :data:`TRIED_FOR` from the letter's weekday and hour."""
    day = now.astimezone(zone).date()
    ahead = _WEEKDAYS.index(settings.weekday) - day.weekday()
    begins = datetime.combine(day + timedelta(days=ahead), time(settings.hour), zone)
    return begins <= now < begins + TRIED_FOR


def last_week(now: datetime) -> Span:
    """Return the seven days that a letter is about."""
    return Span(now - WEEK, now)
