"""Traces, as a feature of Auskunft."""

from typing import Final

from app.feature import Feature

feature: Final = Feature(
    package=__package__,
    start=f"{__package__}.start:start",
    checks={"traces": f"{__package__}.start:check"},
)
