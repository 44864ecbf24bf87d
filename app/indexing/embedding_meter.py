"""How much was embedded, and how long it took."""

import time
from collections import defaultdict
from collections.abc import Callable

from app.pages.counters import EMBEDDING_SECONDS, WINDOWS, Key


class EmbeddingMeter:
    """Hears the progress of :meth:`ingest.pipeline.Pipeline.embed` and passes it on: first of the windows
    that the cache had, then of every batch that was embedded."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.amounts: dict[Key, float] = defaultdict(float)
        self._progress = progress
        self._since: float | None = None

    def __call__(self, windows: int) -> None:
        """So many more windows have their vectors."""
        now = time.monotonic()
        if self._since is None:
            self.amounts[WINDOWS, "cached", ""] += windows
        else:
            self.amounts[WINDOWS, "embedded", ""] += windows
            self.amounts[EMBEDDING_SECONDS, "", ""] += now - self._since
        self._progress(windows)
        self._since = time.monotonic()
