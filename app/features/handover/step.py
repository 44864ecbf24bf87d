"""Sends messages, and deletes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.handover.services import HandoverServices

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def is_due(services: Services) -> bool:
    """True if a message is to be sent now."""
    return services.feature(HandoverServices).queue.is_due()


def send(services: Services, stop: Stop) -> bool:
    """Send one message. True if there may be more."""
    return services.feature(HandoverServices).send_next(stop)


def delete_expired(services: Services) -> None:
    """Delete what is older than visitors were told."""
    services.feature(HandoverServices).delete_expired()
