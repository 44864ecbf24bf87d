"""The line of ``/readyz`` about contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.contexts.services import ContextServices
from app.monitoring.check import Check

if TYPE_CHECKING:
    from app.services import Services


def contexts(services: Services) -> list[Check]:
    """Report how many chunks have the context that a model writes, where a preset wants any."""
    report = services.feature(ContextServices).report()
    if report is None:
        return []
    ok = not report.failed and (report.outage is None or not report.has_model)
    return [Check(name="contexts", ok=ok, detail=report.summary, required=False)]
