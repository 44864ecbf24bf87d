"""The recipients of a site's messages, and how long messages are kept."""

from datetime import date, datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from app.settings.handover import HandoverSettings
from app.settings.sites import SiteSettings


def handover_of(site: SiteSettings) -> HandoverSettings | None:
    """Return the settings for a site's messages, or ``None`` if it has none or uses a form of its own."""
    return None if site.handover is None or site.handover.form else site.handover


def recipient(site: SiteSettings, handover: HandoverSettings) -> str:
    """Return the name of the recipients, with the address or host that messages are sent to."""
    where = handover.email or urlsplit(handover.webhook).hostname or ""
    return f"{site.name} ({where})" if site.name else where


def delete_at(handover: HandoverSettings, made_at: datetime) -> datetime:
    """Return the time from which a message may no longer be kept."""
    return made_at + timedelta(days=handover.keep_days)


def delete_on(site: SiteSettings, moment: datetime) -> date:
    """Return the day by which a message is deleted, by the site's clock: deletion runs once a night."""
    return (moment.astimezone(ZoneInfo(site.time_zone)) + timedelta(days=1)).date()
