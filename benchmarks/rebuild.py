"""Measures the speed of a rebuild through the queue: ``python -m benchmarks rebuild``.

All pages are written to a new generation, with vectors from the cache: by one worker and by two, each of one
process. The reference is ``auskunft reindex`` without the queue. They take turns, and medians are compared,
so that other work on the machine slows all alike. Redis is required.
"""

import re
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from app.monitoring.logging import configure_quiet_logging
from benchmarks.figures import show
from benchmarks.installation import Installation, stop
from tests.services import MissingServiceError
from tests.services.redis import RedisServer

FOREGROUND: Final = "without the queue"
ONE: Final = "one worker"
TWO: Final = "two workers"


@click.command(help="Measure how fast a rebuild goes through the queue.")
@click.option("--pages", "n_pages", default=10_000, show_default=True, help="Pages to write.")
@click.option("--rounds", default=3, show_default=True)
def main(n_pages: int, rounds: int) -> None:
    configure_quiet_logging()
    try:
        with (
            RedisServer() as redis,
            tempfile.TemporaryDirectory() as folder,
            Installation(Path(folder), redis.url) as installation,
        ):
            installation.fill(n_pages)
            measured = [one_round(installation) for _ in range(rounds)]
    except MissingServiceError as missing:
        show("rebuild", f"not measured: {missing}")
        return
    seconds = {name: statistics.median(each[name] for each in measured) for name in measured[0]}
    for name, taken in seconds.items():
        show(name, f"{n_pages / taken:,.0f} pages/s: {seconds[FOREGROUND] / taken:.2f} x")


def one_round(installation: Installation) -> Mapping[str, float]:
    """Rebuild in each way, and return the seconds."""
    seconds = {FOREGROUND: rebuild_seconds(installation, "reindex")}
    first = installation.work(concurrency=1)
    seconds[ONE] = rebuild_seconds(installation, "reindex", "--queue", "--wait")
    second = installation.work(concurrency=1)
    seconds[TWO] = rebuild_seconds(installation, "reindex", "--queue", "--wait")
    stop(first)
    stop(second)
    return seconds


def rebuild_seconds(installation: Installation, *command: str) -> float:
    """Return the seconds that a rebuild prints. Raises ``ClickException`` if it failed."""
    printed = installation.run(*command)
    found = re.search(r"in ([\d.]+) s: generation", printed)
    if found is None:
        raise click.ClickException(f"the rebuild does not say how long it took: {printed}")
    return float(found[1])


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.rebuild")
