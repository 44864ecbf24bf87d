"""The recipients of a site's messages, and until when these are kept."""

from datetime import date, datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from app.settings.handover import HandoverSettings
from app.settings.sites import SiteSettings


def handover_of(site: SiteSettings) -> HandoverSettings | None:
    """Return to whom a site's messages are sent; ``None`` where there is nobody, or a form of its own."""
    return None if site.handover is None or site.handover.form else site.handover


def recipient(site: SiteSettings, way: HandoverSettings) -> str:
    """Return the name of those who read the messages, with where they are sent."""
    where = way.email or urlsplit(way.webhook).hostname or ""
    return f"{site.name} ({where})" if site.name else where


def delete_at(way: HandoverSettings, made_at: datetime) -> datetime:
    """Return from when on a message may not be kept."""
    return made_at + timedelta(days=way.keep_days)


def delete_on(site: SiteSettings, moment: datetime) -> date:
    """Return the day until which a message is gone, by the site's clock: deletion is done once a night."""
    return (moment.astimezone(ZoneInfo(site.time_zone)) + timedelta(days=1)).date()
