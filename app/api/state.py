"""Objects of the application that its requests use: services, metrics, the log of refused websites."""

from typing import Final, cast

import structlog
from flask import Flask, current_app

from app.monitoring.metrics import Metrics
from app.services import Services

_SERVICES: Final = "auskunft"
_METRICS: Final = "auskunft-metrics"
_REFUSALS: Final = "auskunft-refusals"

MOST_REFUSALS: Final = 100
"""The most that one process logs, because strangers can make up any number of keys and origins."""

SHOWN_CHARACTERS: Final = 100

log = structlog.get_logger(__name__)


class RefusalLog:
    """Logs each refused pair of site key and origin only once. Thread-safe."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def note(self, key: str, origin: str, reason: str) -> None:
        """Log that pages of ``origin`` may not use the site."""
        pair = (key[:SHOWN_CHARACTERS], origin[:SHOWN_CHARACTERS])
        if pair in self._known or len(self._known) >= MOST_REFUSALS:
            return
        self._known.add(pair)
        log.warning("website_refused", site=pair[0], origin=pair[1], reason=reason)


def attach(app: Flask, services: Services) -> None:
    """Store ``services`` in ``app``, for its requests."""
    app.extensions[_SERVICES] = services
    app.extensions[_METRICS] = Metrics(services)
    app.extensions[_REFUSALS] = RefusalLog()


def current_services() -> Services:
    """The services of the application that handles this request."""
    return cast(Services, current_app.extensions[_SERVICES])


def current_metrics() -> Metrics:
    """The metrics of the application that handles this request."""
    return cast(Metrics, current_app.extensions[_METRICS])


def current_refusal_log() -> RefusalLog:
    """The application's log of websites that were refused."""
    return cast(RefusalLog, current_app.extensions[_REFUSALS])
