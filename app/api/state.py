"""Objects of the running application for its requests: services, metrics, the log of refused websites."""

from typing import Final, cast

from flask import Flask, current_app

from app.api.refusal_log import RefusalLog
from app.monitoring.metrics import Metrics
from app.services import Services

_SERVICES: Final = "auskunft"
_METRICS: Final = "auskunft-metrics"
_REFUSALS: Final = "auskunft-refusals"


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
