"""The schedule of ``auskunft beat``."""

from typing import Any, Final

from celery.schedules import crontab

from app.background.nightly import HOUR
from app.settings.settings import Settings

SWEEP: Final = "auskunft.sweep"
RETENTION: Final = "auskunft.retention"
PULL: Final = "auskunft.pull"
RECONCILE: Final = "auskunft.reconcile"
STEP: Final = "auskunft.step"


def schedule(settings: Settings) -> dict[str, Any]:
    """Return Celery's ``beat_schedule``. A sweep that no worker starts before the next one expires."""
    every = settings.sweep_seconds
    return {
        "sweep": {"task": SWEEP, "schedule": every, "options": {"expires": every}},
        "reconcile": {"task": RECONCILE, "schedule": crontab(hour=HOUR, minute=0)},
        "retention": {"task": RETENTION, "schedule": crontab(hour=HOUR, minute=30)},
    }
