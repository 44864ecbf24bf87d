"""Metrics of contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client.core import GaugeMetricFamily, Metric

from app.features.contexts.services import ContextServices

if TYPE_CHECKING:
    from app.services import Services


def metrics(services: Services) -> Iterator[Metric]:
    """Yield the number of chunks by the state of their contexts, if a preset wants contexts."""
    report = services.feature(ContextServices).report()
    if report is None:
        return
    chunks = GaugeMetricFamily(
        "auskunft_context_chunks", "Chunks by what became of their contexts", labels=["source", "state"]
    )
    for each in report.sources:
        found = each.found
        for state, number in (
            ("written", found.written),
            ("failed", found.failed),
            ("missing", found.missing),
        ):
            chunks.add_metric([found.source, state], number)
    yield chunks
    is_up = float(report.has_model and report.outage is None)
    yield GaugeMetricFamily(
        "auskunft_context_model_up", "Whether the model that writes contexts replies", value=is_up
    )
