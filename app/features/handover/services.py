"""The services of the hand-over: the queue of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.handover.queue import HandoverQueue
from app.features.handover.recipient import handover_of
from app.lazy import lazy
from app.services.of_feature import FeatureServices

if TYPE_CHECKING:
    from app.services import Services


def is_used(services: Services) -> bool:
    """True if a site has messages sent, or some wait."""
    are_sent = any(handover_of(site) for site in services.chat.sites.all())
    return are_sent or bool(services.feature(HandoverServices).queue.backlog()[0])


class HandoverServices(FeatureServices):
    """Builds the queue."""

    @lazy
    def queue(self) -> HandoverQueue:
        """The messages that are to be sent, and those that were."""
        return HandoverQueue(self._services.engine)
