"""Shows the progress of a long command on standard error: a bar in a terminal, otherwise occasional lines."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from app.background.importer import ShowStage
from app.cli.common import console
from app.cli.stopping import stoppable
from app.indexing.progress import Progress

LINE_SECONDS: Final = 10.0
STEPS: Final = 1_000


class RemainingTime:
    """Estimates the remaining time of a stage of work from the speed of its last minute."""

    WINDOW_SECONDS: Final = 60.0
    LEAST_SECONDS: Final = 3.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kind: tuple[str, bool] = "", False
        self._samples: deque[tuple[float, int]] = deque()

    def seconds(self, stage: str, progress: Progress) -> float | None:
        """Record the progress. Return the seconds that are left, or None if unknown yet.

        Chunks are counted if there are any, because they take the time; cached chunks take none.
        """
        kind = stage, bool(progress.total_chunks)
        if kind != self._kind:
            self._kind = kind
            self._samples.clear()
        done, left = _work(progress)
        now = self._clock()
        self._samples.append((now, done))
        while now - self._samples[0][0] > self.WINDOW_SECONDS and len(self._samples) > 2:
            self._samples.popleft()
        since, before = self._samples[0]
        if left is None or done == before or now - since < self.LEAST_SECONDS:
            return None
        return left * (now - since) / (done - before)


def _work(progress: Progress) -> tuple[int, int | None]:
    """Return the numbers of chunks, or else of pages, that are done and left."""
    if progress.total_chunks:
        return progress.computed, progress.total_chunks - progress.chunks
    return progress.done, None if progress.total is None else progress.total - progress.done


def sentence(progress: Progress, seconds: float | None = None) -> str:
    """Describe the progress: ``12 of 40 pages, 310 of about 1,050 chunks, about 2 min left``."""
    pages = f"{progress.done:,}" if progress.total is None else f"{progress.done:,} of {progress.total:,}"
    parts = [f"{pages} {progress.unit}"]
    if progress.total_chunks:
        about = "" if progress.is_exact else "about "
        parts.append(f"{progress.chunks:,} of {about}{progress.total_chunks:,} chunks")
    if seconds is not None:
        parts.append(f"{_duration(seconds)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return "less than 1 min"
    if seconds < 5_400:
        return f"about {math.ceil(seconds / 60)} min"
    return f"about {seconds / 3_600:.1f} h"


def share(progress: Progress) -> float | None:
    """Return the share of the work that is done, 0 to 1, or None if unknown."""
    if progress.total_chunks:
        return progress.chunks / progress.total_chunks
    return progress.done / progress.total if progress.total else None


@contextmanager
def long_work(stage: str) -> Iterator[ShowStage]:
    """Show the progress of the block's work. Yields a function to call with each progress.

    Raises ``KeyboardInterrupt`` in the block on Ctrl-C and SIGTERM.
    """
    bars = console(stderr=True)
    with stoppable(), _bar(stage, bars) if bars.is_terminal else _lines(stage, bars) as show:
        yield show


@contextmanager
def _bar(stage: str, bars: Console) -> Iterator[ShowStage]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
    )
    remaining = RemainingTime()
    with ProgressBar(*columns, console=bars, transient=True) as bar:
        task = bar.add_task(stage, total=None, detail="")

        def show(stage: str, progress: Progress) -> None:
            done = share(progress)
            bar.update(
                task,
                description=stage,
                completed=STEPS * (done or 0),
                total=None if done is None else STEPS,
                detail=sentence(progress, remaining.seconds(stage, progress)),
            )

        yield show


@contextmanager
def _lines(stage: str, lines: Console) -> Iterator[ShowStage]:
    """Print a line every ten seconds, and one at the end; nothing if the work ends before the first."""
    ended, remaining, started = Event(), RemainingTime(), time.monotonic()
    current, left = (stage, Progress()), None

    def show(stage: str, progress: Progress) -> None:
        nonlocal current, left
        current, left = (stage, progress), remaining.seconds(stage, progress)

    def run() -> None:
        while not ended.wait(LINE_SECONDS):
            name, progress = current
            lines.print(f"{name}: {sentence(progress, left)}")

    printer = Thread(target=run, name="progress", daemon=True)
    printer.start()
    try:
        yield show
    finally:
        ended.set()
        printer.join()
        seconds = time.monotonic() - started
        if seconds >= LINE_SECONDS:
            name, progress = current
            lines.print(f"{name}: {sentence(progress)}, {seconds:,.0f} s in all")
