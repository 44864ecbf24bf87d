"""Measuring and printing, shared by all benchmarks."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import click

P = ParamSpec("P")
R = TypeVar("R")

Clock = Callable[[], float]


@dataclass(slots=True)
class Stopwatch:
    """The seconds that each timed call took, by ``clock``."""

    laps: list[float] = field(default_factory=list)
    clock: Clock = time.perf_counter

    @property
    def seconds(self) -> float:
        """The sum of all laps."""
        return sum(self.laps)

    def timed(self, work: Callable[P, R]) -> Callable[P, R]:
        """Return ``work`` with each of its calls timed as a lap."""

        def call(*arguments: P.args, **named: P.kwargs) -> R:
            start = self.clock()
            try:
                return work(*arguments, **named)
            finally:
                self.laps.append(self.clock() - start)

        return call


@contextmanager
def watched(owner: Any, name: str, clock: Clock = time.perf_counter) -> Iterator[Stopwatch]:
    """Time every call of the function or method ``owner.name`` within the block."""
    stopwatch, original = Stopwatch(clock=clock), getattr(owner, name)
    setattr(owner, name, stopwatch.timed(original))
    try:
        yield stopwatch
    finally:
        setattr(owner, name, original)


def timed(work: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> float:
    """Return the seconds that one call takes."""
    stopwatch = Stopwatch()
    stopwatch.timed(work)(*arguments, **named)
    return stopwatch.seconds


def percentiles(seconds: Sequence[float]) -> str:
    """The median and the 95th percentile in milliseconds."""
    return f"p50 {statistics.median(seconds) * 1000:.1f} ms, p95 {p95(seconds) * 1000:.1f} ms"


def p95(seconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]


def throughput(n_bytes: int, seconds: float) -> str:
    """Megabytes (10^6 bytes) a second."""
    return f"{n_bytes / seconds / 1e6:.2f} MB/s"


def show(label: str, figure: str) -> None:
    """Print one line of the result."""
    click.echo(f"{label:<44} {figure}")
