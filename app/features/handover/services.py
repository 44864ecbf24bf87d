"""The services of the hand-over: the queue of messages."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from app.features.handover.queue import HandoverQueue
from app.features.handover.recipient import handover_of
from app.lazy import lazy
from app.monitoring.check import Check
from app.pages.database import utc_now
from app.services.feature_services import FeatureServices
from ingest.said import Said

if TYPE_CHECKING:
    from app.services import Services

PATIENCE: Final = timedelta(minutes=15)


def is_used(services: Services) -> bool:
    """Return True if a site has messages sent to a person, or some are waiting."""
    are_sent = any(handover_of(site) for site in services.chat.sites.all())
    return are_sent or bool(services.feature(HandoverServices).queue.backlog()[0])


def handovers(services: Services) -> list[Check]:
    """Report messages that have not been sent; fail once one has been failing for a quarter of an hour."""
    if not is_used(services):
        return []
    waiting, since = services.feature(HandoverServices).queue.backlog()
    ok = since is None or since > utc_now() - PATIENCE
    detail = Said("{count:,} not sent yet", count=waiting) if waiting else Said("all are sent")
    if since is not None:
        detail = Said(
            "{what}, failing since {since:%Y-%m-%d %H:%M} UTC: `auskunft handovers list` says why",
            what=detail,
            since=since,
        )
    return [Check(name="hand-overs", ok=ok, detail=detail, required=False)]


class HandoverServices(FeatureServices):
    """Builds the queue."""

    @lazy
    def queue(self) -> HandoverQueue:
        """The messages to be sent, and those that were sent."""
        return HandoverQueue(self._services.engine)
