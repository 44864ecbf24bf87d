"""The services of the hand-over: the queue of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.handover.queue import HandoverQueue
from app.features.handover.recipient import handover_of
from app.lazy import lazy
from app.pages.store import utc_now

if TYPE_CHECKING:
    from app.services import Services


def is_used(services: Services) -> bool:
    """True if a site has messages sent, or some wait."""
    are_sent = any(handover_of(site) for site in services.chat.sites.all())
    return are_sent or bool(services.feature(HandoverServices).queue.backlog()[0])


class HandoverServices:
    """Builds the queue."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def queue(self) -> HandoverQueue:
        """The messages that are to be sent, and those that were."""
        return HandoverQueue(self._services.engine, utc_now)
