"""The services that features build of an installation's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services import Services


class FeatureServices:
    """The services that a feature builds, each when it is first used (:class:`app.lazy.lazy`)."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services
