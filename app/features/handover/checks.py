"""The line of ``/readyz`` about messages to people."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from app.features.handover.services import HandoverServices, is_used
from app.monitoring.check import Check
from app.pages.database import utc_now

if TYPE_CHECKING:
    from app.services import Services

PATIENCE: Final = timedelta(minutes=15)


def handovers(services: Services) -> list[Check]:
    """Report messages that could not be sent for a quarter of an hour."""
    if not is_used(services):
        return []
    waiting, since = services.feature(HandoverServices).queue.backlog()
    ok = since is None or since > utc_now() - PATIENCE
    detail = f"{waiting} not sent yet" if waiting else "all are sent"
    if since is not None:
        detail += f", failing since {since:%Y-%m-%d %H:%M} UTC: `auskunft handovers list` says why"
    return [Check(name="hand-overs", ok=ok, detail=detail, required=False)]
