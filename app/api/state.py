"""The services and metrics of the running application."""

from typing import Final, cast

from flask import Flask, current_app

from app.monitoring.metrics import Metrics
from app.services import Services

_SERVICES: Final = "auskunft"
_METRICS: Final = "auskunft-metrics"


def attach(app: Flask, services: Services) -> None:
    """Store ``services`` in ``app``, for its requests."""
    app.extensions[_SERVICES] = services
    app.extensions[_METRICS] = Metrics(services)


def current_services() -> Services:
    """The services of the application that handles this request."""
    return cast(Services, current_app.extensions[_SERVICES])


def current_metrics() -> Metrics:
    """The metrics of the application that handles this request."""
    return cast(Metrics, current_app.extensions[_METRICS])
