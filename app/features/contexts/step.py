"""Writes contexts of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.contexts.services import ContextServices

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def is_due(services: Services) -> bool:
    """True if chunks lack contexts."""
    contexts = services.feature(ContextServices)
    return contexts.chunks is not None and contexts.store.is_due()


def write(services: Services, stop: Stop) -> bool:
    """Write some; pages that have all then are indexed again. True if there may be more. Raises
    ``ModelError`` and ``PageStoreUnavailableError``."""
    writer = services.feature(ContextServices).writer
    if writer is None:
        return False
    complete = writer.run_once(stop)
    if complete:
        services.wake(len(complete), interactive=False)
    return complete is not None


def delete_expired(services: Services) -> None:
    """Delete contexts that no page uses."""
    services.feature(ContextServices).delete_expired()
