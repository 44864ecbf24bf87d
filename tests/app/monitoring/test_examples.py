"""The dashboard and the rules in ``examples/monitoring`` name metrics that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.monitoring.metrics import Metrics
from app.services import Services
from app.settings.settings import load_settings

EXAMPLES = Path(__file__).parents[3] / "examples" / "monitoring"
DASHBOARD = json.loads((EXAMPLES / "grafana-dashboard.json").read_text("utf-8"))
RULES = yaml.safe_load((EXAMPLES / "prometheus-rules.yml").read_text("utf-8"))

METRIC = re.compile(r"\bauskunft_\w+(?=[^\w]|$)")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
WITH_A_BROKER = {"auskunft_schedule_kept"}


@pytest.fixture
def known(tmp_path: Path) -> set[str]:
    """All series of a new installation."""
    with Services(load_settings(data=tmp_path, embedder="hashing")) as services:
        text = Metrics(services).text().decode()
    types = re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE)
    return {
        name.removesuffix("_total") + suffix for name, kind in types for suffix in SUFFIXES[kind]
    } | WITH_A_BROKER


def expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    for group in RULES["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


@pytest.mark.parametrize("expression", [*expressions()])
def test_every_metric_that_is_named_exists(known: set[str], expression: str) -> None:
    named = METRIC.findall(expression)
    assert named
    assert set(named) <= known
    assert expression.count("(") == expression.count(")")


def test_every_rule_says_what_to_do_and_every_panel_what_it_shows() -> None:
    rules: list[dict[str, Any]] = RULES["groups"][0]["rules"]
    assert all(rule["annotations"]["summary"] for rule in rules)
    assert len({rule["alert"] for rule in rules}) == len(rules)
    panels = DASHBOARD["panels"]
    assert all(panel["title"] for panel in panels)
    assert len({panel["id"] for panel in panels}) == len(panels)
