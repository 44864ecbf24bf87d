"""The tracing feature: sends traces to an OpenTelemetry collector."""

from typing import Final

from app.feature import Feature

feature: Final = Feature(
    package=__package__,
    start=f"{__package__}.start:start",
    checks={"traces": f"{__package__}.start:check"},
)
