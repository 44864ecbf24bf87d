"""The services of the hand-over: the queue of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.handover.queue import HandoverQueue
from app.features.handover.recipient import handover_of
from app.lazy import lazy
from app.pages.store import utc_now

if TYPE_CHECKING:
    from app.services import Services


class HandoverServices:
    """Builds the queue."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def queue(self) -> HandoverQueue:
        """The messages that are to be sent, and those that were."""
        return HandoverQueue(self._services.engine, utc_now)

    @property
    def is_used(self) -> bool:
        """True if a site has messages sent."""
        return any(handover_of(site) for site in self._services.chat.sites.all())
