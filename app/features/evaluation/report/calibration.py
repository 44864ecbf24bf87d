"""Writes the page about a calibration: distributions of right and wrong hits, and effects of thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.features.evaluation.calibration import Calibration, Distribution
from app.features.evaluation.report.page import render_template
from app.features.evaluation.report.texts import page_texts
from app.presets import toml_key

BINS: Final = 40
PERCENTILES: Final = (5, 50, 95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bin of a histogram, in percent of the drawing: its left edge, its width, and the heights of right and
    of wrong values."""

    left: float
    width: float
    right: float
    wrong: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A histogram of right and wrong values from ``low`` to ``high``. ``mark``: the threshold, in percent."""

    low: float
    high: float
    bars: tuple[Bar, ...]
    mark: float


def plot(found: Distribution) -> Plot:
    """Draw a distribution so that the highest bar has 100 %."""
    low, high = _ends(found)
    edges = np.linspace(low, high, BINS + 1)
    right, wrong = (_heights(values, edges) for values in (found.right, found.wrong))
    top = max(right.max(), wrong.max()) / 100
    return Plot(
        low=low,
        high=high,
        bars=tuple(
            Bar(left=100 * n / BINS, width=100 / BINS, right=float(own / top), wrong=float(other / top))
            for n, (own, other) in enumerate(zip(right, wrong, strict=True))
            if own or other
        ),
        mark=100 * (found.threshold - low) / (high - low),
    )


def render(
    name: str, pool: str, proposed: Calibration, distributions: Sequence[Distribution], language: str
) -> str:
    """Render the page about the thresholds that are ``proposed`` for the embedder ``name``."""
    return render_template(
        "calibration.html.jinja",
        language,
        texts=page_texts("calibration", language),
        name=name,
        key=toml_key(name),
        pool=pool,
        proposed=proposed,
        fields=[(each, plot(each), _quantiles(each.right), _quantiles(each.wrong)) for each in distributions],
    )


def _ends(found: Distribution) -> tuple[float, float]:
    """Return the ends of the drawing, in tenths: all values and the threshold lie between."""
    values = np.concatenate([found.right, found.wrong, [found.threshold]])
    low, high = np.floor(values.min() * 10) / 10, np.ceil(values.max() * 10) / 10
    return float(low), float(max(high, low + 0.1))


def _heights(values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share of the values in each bin."""
    counts, _ = np.histogram(values, edges)
    return counts / max(values.size, 1)


def _quantiles(values: npt.NDArray[np.float64]) -> list[float]:
    return [float(each) for each in np.percentile(values, PERCENTILES)] if values.size else []
