"""Metrics as Prometheus reads them."""

from collections import defaultdict

from prometheus_client.parser import text_string_to_metric_families

Values = dict[str, list[tuple[dict[str, str], float]]]
"""By the series' name, each sample's labels and value, in order."""


def values_in(text: str) -> Values:
    """Every sample of a page of metrics."""
    found: Values = defaultdict(list)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name].append((dict(sample.labels), sample.value))
    return found
