"""Notes what the parts of one answer do, for people who want to see how it came about.

Each tells what it did by :func:`record`. Without a recorder that is open in this thread, as for every
visitor's question, nothing is made or kept.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, ParamSpec

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a part told, and the seconds since the part before it."""

    part: object
    seconds: float


class Recorder:
    """Keeps the parts of one answer, in order. For one thread."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.parts: list[Recorded] = []
        self._clock = clock
        self._last = clock()

    def add(self, part: object) -> None:
        """Keep a part that has just ended."""
        now = self._clock()
        self.parts.append(Recorded(part=part, seconds=now - self._last))
        self._last = now


_open: Final[ContextVar[Recorder | None]] = ContextVar("recorder", default=None)


def record(part: Callable[P, object], *args: P.args, **values: P.kwargs) -> None:
    """Make the part and keep it, if a recorder is open."""
    recorder = _open.get()
    if recorder is not None:
        recorder.add(part(*args, **values))


@contextmanager
def recording() -> Iterator[Recorder]:
    """Open a recorder for what this thread does meanwhile."""
    recorder = Recorder()
    token = _open.set(recorder)
    try:
        yield recorder
    finally:
        _open.reset(token)
