"""Starts tracing a process if OpenTelemetry's variables name a collector and its packages are installed."""

from __future__ import annotations

from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import structlog

from app.monitoring.check import Check
from app.settings.settings import foreign_variable
from ingest.said import Said
from ingest.spans import trace_by

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from app.services import Services

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Variables that name a collector, in order of precedence."""

END_SECONDS: Final = 2.0
"""Time to send the remaining spans when a process ends."""

MISSING: Final = Said("OpenTelemetry is not installed: pip install 'auskunft[otel]'")

log = structlog.get_logger(__name__)


def start(services: Services) -> None:
    """Trace this process until the services are closed."""
    if not _endpoint():
        return
    if not _is_installed():
        log.warning("traces_off", reason=MISSING)
        return
    try:
        from app.features.tracing.tracer import make_provider, make_tracer  # noqa: PLC0415 - an extra

        provider = make_provider()
    except (ValueError, RuntimeError) as error:  # the import reads variables too
        log.warning("traces_off", reason=f"a variable of OpenTelemetry is wrong: {error}")
        return
    services.opened.callback(_end, provider)
    services.opened.callback(trace_by, None)
    trace_by(make_tracer(provider))


def check(_services: Services) -> list[Check]:
    """Report whether traces are sent, if a variable names a collector."""
    endpoint = _endpoint()
    if not endpoint:
        return []
    server = server_of(endpoint)
    problem = "" if _is_installed() else MISSING
    problem = problem or (
        ""
        if server
        else Said("{name} is not an address: use one such as http://collector:4318", name=ENDPOINTS[1])
    )
    return [
        Check(
            name="traces",
            ok=not problem,
            detail=problem or Said("sent to {server}", server=server),
            required=False,
        )
    ]


def server_of(endpoint: str) -> str:
    """Return the host and port of an address, without user name and password; empty if it is malformed."""
    try:
        parts = urlsplit(endpoint)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.hostname}{port}" if parts.hostname and parts.scheme in ("http", "https") else ""


def _end(provider: TracerProvider) -> None:
    """Send the remaining spans, but give up after ``END_SECONDS``: an unreachable collector would be retried
    for longer."""
    sending = Thread(target=provider.shutdown, name="traces", daemon=True)
    sending.start()
    sending.join(END_SECONDS)


def _endpoint() -> str:
    """The collector's address; empty if traces are off."""
    is_off = foreign_variable("OTEL_SDK_DISABLED").lower() == "true"
    is_off |= foreign_variable("OTEL_TRACES_EXPORTER") == "none"
    return "" if is_off else next(filter(None, map(foreign_variable, ENDPOINTS)), "")


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
