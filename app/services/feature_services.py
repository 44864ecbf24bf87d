"""The base of the services that features build on an installation's services."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services import Services


class FeatureServices:
    """The services of one feature, each built on first use (:class:`app.lazy.lazy`)."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services
